// G9: a good guest: takes no status that isn't its own; leaves no zombie, descriptor, signal handler or live handle.

import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import {
  descriptorsOf,
  endProcess,
  identify,
  isAlive,
  readStat,
  statusOf,
  zombieChildrenOf,
} from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { waitFor, waitUntil, within } from '../support/wait.js'

/** Whether the host, which has nothing left to do, ends by itself. */
async function endsByItself(host: Host): Promise<boolean> {
  return within(host.ended, 2000, 'the host ends').then(
    (exit) => exit.code === 0,
    () => false,
  )
}

const signalState = (host: Host) => ['SigCgt', 'SigIgn', 'SigBlk'].map((field) => statusOf(host.pid, field))

async function startGuest(runtime: Parameters<typeof startHost>[0], ...args: string[]) {
  const host = await startHost(runtime, { program: 'guest.mjs', args })
  await host.event('before')
  return host
}

forEachRuntime((runtime) => {
  guardEachTest()

  it('leaves handlers, descriptors and children of its host as they were, and lets it end', async () => {
    const host = await startGuest(runtime)
    const before = signalState(host)
    host.say('go on')
    await host.event('imported')
    expect(signalState(host)).toEqual(before)
    const descriptors = descriptorsOf(host.pid).size

    host.say('go on')
    await host.event('after')
    expect(signalState(host)).toEqual(before)
    await waitUntil(() => zombieChildrenOf(host.pid).length === 0, 1000, 'no zombie')
    // The way to the supervisor and the reactor's own: a fixed few, however many commands there were.
    expect(descriptorsOf(host.pid).size - descriptors).toBeLessThanOrEqual(8)

    host.say('go on')
    await host.event('done')
    expect(await endsByItself(host)).toBe(true)
  })

  it('control: a live handle is seen', async () => {
    const host = await startGuest(runtime, 'with-handle')
    for (const event of ['imported', 'after', 'done']) {
      host.say('go on')
      await host.event(event)
    }
    expect(await endsByItself(host)).toBe(false)
  })

  it('takes no status of the children that the host starts itself', async () => {
    const host = await startHost(runtime)
    const wrong = await host.evaluate(
      async ({ procleash, childProcess }, count) => {
        const problems: string[] = []
        const own = async (status: number) => {
          const child = childProcess.spawn('sh', ['-c', `exit ${status}`], { stdio: 'ignore' })
          const code = await new Promise((resolve) => child.once('exit', resolve))
          if (code !== status) problems.push(`child_process: ${status} came as ${code}`)
        }
        const ours = async (status: number) => {
          const { code } = await procleash.run('sh', ['-c', `exit ${status}`])
          if (code !== status) problems.push(`procleash: ${status} came as ${code}`)
        }
        for (let round = 0; round < 5; round += 1) {
          const statuses = Array.from({ length: count }, (_, index) => (round * count + index) % 256)
          await Promise.all(statuses.flatMap((status) => [own(status), ours(status)]))
        }
        return problems
      },
      20,
      30_000,
    )
    expect(wrong).toEqual([])
    expect(zombieChildrenOf(host.pid)).toEqual([])
  })

  it("doesn't make the host a subreaper: orphans of its other children go elsewhere", async () => {
    const host = await startHost(runtime)
    await (await host.spawn('true')).settled()
    const pid = await host.evaluate(
      ({ childProcess }) =>
        Number(
          childProcess.execFileSync('bash', ['-c', 'sleep 60 >/dev/null 2>&1 & echo $!'], {
            encoding: 'utf8',
          }),
        ),
      null,
    )
    const orphan = identify(pid)
    expect(readStat(pid)!.ppid).not.toBe(host.pid)
    endProcess(orphan)
  })

  it('control: a zombie is seen', async () => {
    // sleep(1) doesn't wait for children that it got by exec.
    const child = spawn('sh', ['-c', 'true & exec sleep 60'], { stdio: 'ignore' })
    const id = identify(child.pid!)
    const zombie = await waitFor(() => zombieChildrenOf(id.pid)[0], 3000, 'a zombie')
    expect(zombie.state).toBe('Z')
    endProcess(id)
    await waitUntil(() => !isAlive(id), 2000, 'ended')
  })
})
