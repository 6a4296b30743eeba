// What procleash/child-process has besides Node's members. Prints what each gave.

import process from 'node:process'
import { spawn } from '../../../dist/src/child-process/index.js'
import { createOwner } from '../../../dist/src/index.js'
import { deaf, isAlive, once, ready, story, until } from './tools.mjs'

const background = 'sleep 60 > /dev/null 2>&1 & echo $!'

const extras = {
  async settled() {
    const { outcome, reason, proof } = await spawn('true').settled
    return [outcome, reason, proof]
  },
  async 'settled of a failed start'() {
    const child = spawn('no-such')
    child.on('error', () => {})
    return [await child.settled, await child.stop()]
  },
  async stop() {
    const child = spawn('sh', ['-c', `${background}; wait`])
    const pid = Number(await ready(child))
    const { outcome, reason } = await child.stop({ reason: 'done' })
    return [outcome, reason, isAlive(pid)]
  },
  async 'stop before the spawn event'() {
    const child = spawn('sleep', ['60'])
    const { outcome } = await child.stop()
    return [outcome, typeof child.pid]
  },
  async 'all that came while the loop was blocked'() {
    const child = spawn('true', { stdio: 'ignore' })
    for (const end = performance.now() + 200; performance.now() < end; );
    await child.settled
    return [typeof child.pid, child.exitCode]
  },
  async 'a bad budget'() {
    const child = spawn('sleep', ['60'])
    const code = await child.stop({ budget: -1 }).catch((error) => error.code)
    await child.stop({ budget: 0 })
    return code
  },
  async 'close comes when nothing is left'() {
    const child = spawn('sh', ['-c', `(trap "" TERM; sleep 60) & ${background}; wait`])
    const pid = Number(await ready(child))
    child.kill()
    await once(child, 'close')
    return isAlive(pid)
  },
  async budget() {
    const child = spawn('sh', ['-c', deaf], { budget: 1000 })
    await ready(child)
    const started = performance.now()
    child.kill()
    const { signal } = await story(child)
    // Not before: the default is 500.
    return [signal, performance.now() - started > 600]
  },
  async 'SIGTERM where killSignal is another one'() {
    const script = `trap "echo asked" TERM; ${deaf.slice(deaf.indexOf('echo'))}`
    const child = spawn('sh', ['-c', script], { killSignal: 'SIGKILL', budget: 1000 })
    await ready(child)
    const sent = child.kill('SIGTERM')
    const { stdout, signal } = await story(child)
    return [sent, stdout.trim(), signal]
  },
  async 'killSignal stops'() {
    const child = spawn('sh', ['-c', `trap "echo asked" INT; ${background}; while :; do sleep 0.01; done`], {
      killSignal: 'SIGINT',
      budget: 1000,
    })
    const pid = Number(await ready(child))
    child.kill('SIGINT')
    const { stdout, signal } = await story(child)
    return [stdout.trim(), signal, isAlive(pid)]
  },
  async "leftovers: 'keep'"() {
    const child = spawn('sh', ['-c', background], { leftovers: 'keep' })
    const closed = once(child, 'close')
    const pid = Number(await ready(child))
    await closed
    const kept = isAlive(pid)
    const sent = child.kill()
    await until(() => !isAlive(pid))
    return [kept, sent]
  },
  async 'the timeout while the loop is blocked'() {
    const child = spawn('sh', ['-c', 'echo $$; exec sleep 60'], { timeout: 100 })
    const pid = Number(await ready(child))
    for (const end = performance.now() + 10_000; performance.now() < end && isAlive(pid); );
    const alive = isAlive(pid)
    const { reason } = await child.settled
    return [alive, reason]
  },
  async owner() {
    const owner = createOwner('session')
    const child = spawn('sleep', ['60'], { owner, kind: 'server' })
    const told = story(child)
    await once(child, 'spawn')
    const [{ kind }] = await owner.list()
    await owner.release()
    const late = spawn('true', { owner })
    const [{ code }] = await once(late, 'error')
    return [kind, (await told).signal, child.killed, code]
  },
  async 'an exception of a listener of spawn'() {
    const child = spawn('echo', ['x'])
    const message = new Promise((resolve) =>
      process.once('uncaughtException', (error) => resolve(error.message)),
    )
    child.on('spawn', () => {
      throw new Error('thrown')
    })
    const { stdout } = await story(child)
    return [await message, stdout.trim()]
  },
}

const results = {}
for (const [name, extra] of Object.entries(extras)) results[name] = await extra().catch(String)
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0))
