// SIGTERM to procleash-init stops everything, adopted daemons included, in peace and within the budget; so does the
// main program's own end.

import { chmodSync, copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { asPid1, asSubreaper, describeMode, forEachMode, type InitMode, startInit } from '../support/init.js'
import { descendantsOf, isAlive, isDeadState, statusOf } from '../support/proc.js'
import { runProgram } from '../support/program.js'
import { forEachRuntime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { itNeeds } from '../support/tools.js'
import { plantTree, type Tree } from '../support/tree.js'
import { staysTheSame, waitFor, waitUntil } from '../support/wait.js'

const terms = (tree: Tree, role: string) => tree.read(`terms.${role}`).split('\n').filter(Boolean).length

async function start(
  mode: InitMode,
  program: string,
  args: readonly string[],
  options: readonly string[] = [],
) {
  const tree = plantTree(program, ...args)
  const init = await startInit(mode, [tree.file, ...tree.args], { env: tree.env, options })
  await waitUntil(() => tree.has('ready'), 10_000, `${program} is ready`)
  return { tree, init }
}

/** Sends SIGTERM and waits for the end. */
async function stop(init: Awaited<ReturnType<typeof startInit>>) {
  const started = performance.now()
  const members = descendantsOf(init.id.pid)
  init.signal('SIGTERM')
  const { code, stderr } = await init.ended
  const left = members.filter((stat) => isAlive(stat))
  return { code, stderr, elapsed: performance.now() - started, left }
}

guardEachTest()

forEachMode((mode) => {
  it('a daemon that saves for 200 ms is not cut off, and each process gets one SIGTERM', async () => {
    const { tree, init } = await start(mode, 'saving-daemon.py', ['obey'])
    const { code, elapsed, left } = await stop(init)
    expect(code).toBe(5)
    expect(left).toEqual([])
    expect(tree.has('mark.saved')).toBe(true)
    expect([terms(tree, 'main'), terms(tree, 'daemon')]).toEqual([1, 1])
    expect(elapsed).toBeGreaterThan(190)
    expect(elapsed).toBeLessThan(1500)
  })

  it('nor is it when the main program ends by itself', async () => {
    const { tree, init } = await start(mode, 'saving-daemon.py', ['end'])
    expect((await init.ended).code).toBe(5)
    expect(tree.has('mark.saved')).toBe(true)
    expect(terms(tree, 'daemon')).toBe(1)
  })

  it('a deaf main program is killed before the budget is over, and named', async () => {
    const { tree, init } = await start(mode, 'saving-daemon.py', ['deaf'], ['--budget', '700ms'])
    const { code, stderr, elapsed, left } = await stop(init)
    expect(code).toBe(137)
    expect(left).toEqual([])
    expect(tree.has('mark.saved')).toBe(true)
    expect(stderr).toMatch(/^procleash-init: not ended in time, SIGKILL to: \d+ \(python3.*\)$/m)
    expect(elapsed).toBeGreaterThan(550)
    expect(elapsed).toBeLessThan(1000)
  })

  it('a stopped process acts on its SIGTERM', async () => {
    const { tree, init } = await start(mode, 'saving-daemon.py', ['obey'])
    const members = descendantsOf(init.id.pid)
    for (const { pid } of members) process.kill(pid, 'SIGSTOP')
    await waitUntil(() => members.every(({ pid }) => statusOf(pid, 'State').startsWith('T')), 2000, 'stopped')
    expect((await stop(init)).code).toBe(5)
    expect(tree.has('mark.saved')).toBe(true)
  })

  it('a re-forking crowd that is deaf is gone within the budget', async () => {
    const { init } = await start(mode, 'fork-storm.py', [], ['--budget', '500ms'])
    const { left, elapsed } = await stop(init)
    expect(left).toEqual([])
    expect(elapsed).toBeLessThan(900)
  })

  it('--budget 0 kills at once', async () => {
    const { tree, init } = await start(mode, 'saving-daemon.py', ['obey'], ['--budget=0'])
    const { code, stderr, left, elapsed } = await stop(init)
    expect({ code, stderr, left }).toEqual({ code: 137, stderr: '', left: [] })
    expect(tree.has('mark.saved')).toBe(false)
    expect(elapsed).toBeLessThan(500)
  })

  it('-r TERM:QUIT: the main program gets SIGQUIT, the rest SIGTERM', async () => {
    const { tree, init } = await start(mode, 'saving-daemon.py', ['obey'], ['-r', 'TERM:QUIT'])
    const { code } = await stop(init)
    expect(code).toBe(131)
    expect(tree.has('mark.saved')).toBe(true)
    expect([terms(tree, 'main'), terms(tree, 'daemon')]).toEqual([0, 1])
  })

  it('-r INT:TERM: SIGINT stops everything as well', async () => {
    const { tree, init } = await start(mode, 'saving-daemon.py', ['obey'], ['-r', 'INT:TERM'])
    init.signal('SIGINT')
    expect((await init.ended).code).toBe(5)
    expect(tree.has('mark.saved')).toBe(true)
  })

  it('-c: the main program is asked first, and the rest once it has ended', async () => {
    const { tree, init } = await start(mode, 'patient-main.py', [], ['-c'])
    const { code } = await stop(init)
    expect(code).toBe(5)
    expect(tree.read('order').split('\n')).toEqual(['main asked', 'main ends', 'worker asked'])
  })

  it('-c: a main program that does not end in three quarters of the budget has no more time than that', async () => {
    const { tree, init } = await start(mode, 'saving-daemon.py', ['deaf'], ['-c', '--budget', '1600ms'])
    const { code, elapsed } = await stop(init)
    expect(code).toBe(137)
    expect(tree.has('mark.saved')).toBe(true)
    expect(elapsed).toBeGreaterThan(1400)
    expect(elapsed).toBeLessThan(1900)
  })
})

describeMode(asPid1, 'in a namespace', () => {
  it('who entered it from outside is stopped too, in peace', async () => {
    const { init } = await start(asPid1, 'ready.sh', [])
    const other = plantTree('slow-but-graceful.py')
    const entered = runProgram(
      ['nsenter', '-t', String(init.id.pid), '-p', '-m', other.file, ...other.args],
      { env: other.env },
    )
    await waitUntil(() => other.has('ready'), 10_000, 'the process from outside is ready')
    const { code, elapsed } = await stop(init)
    expect(code).toBe(143)
    expect(elapsed).toBeGreaterThan(390)
    expect(other.has('mark.leader')).toBe(true)
    expect((await entered).code).toBe(0)
  })

  it('works without a /proc of the namespace', async () => {
    const noProc: InitMode = {
      ...asPid1,
      wrap: (argv) => ['unshare', '--pid', '--fork', '--kill-child=SIGKILL', ...argv],
    }
    for (const options of [[], ['-r', 'TERM:INT']]) {
      const { tree, init } = await start(noProc, 'saving-daemon.py', ['obey'], options)
      expect((await stop(init)).code).toBe(options.length === 0 ? 5 : 130)
      expect(tree.has('mark.saved')).toBe(true)
    }
  })
})

describeMode(asSubreaper, 'as a mere subreaper', () => {
  it('its own SIGKILL takes the main program along', async () => {
    const { init } = await start(asSubreaper, 'ready.sh', [])
    const members = descendantsOf(init.id.pid)
    init.signal('SIGKILL')
    await init.ended
    await waitUntil(() => members.every((id) => !isAlive(id)), 2000, 'the main program has ended')
  })

  itNeeds(['root', 'setpriv'], "another user's process is named, and left", async () => {
    const folder = makeFolder('setuid')
    const setpriv = join(folder, 'setpriv')
    copyFileSync('/usr/bin/setpriv', setpriv)
    chmodSync(setpriv, 0o4755)
    const tree = plantTree('ready.sh')
    const script = `${setpriv} --reuid 0 --regid 0 --clear-groups sleep 60 >/dev/null 2>&1 & . ${tree.args[0]}`
    const options = ['--budget', '200ms']
    const init = await startInit(asSubreaper, ['sh', '-c', script], { env: tree.env, options })
    const rootSleep = () =>
      descendantsOf(init.id.pid).find(
        ({ pid, comm }) => comm === 'sleep' && statusOf(pid, 'Uid').startsWith('0\t'),
      )
    const foreign = await waitFor(rootSleep, 5000, "root's process")
    await waitUntil(() => tree.has('ready'), 5000, 'the main program is ready')
    const { code, stderr, left, elapsed } = await stop(init)
    expect(code).toBe(143)
    expect(stderr).toContain(`procleash-init: still running: ${foreign.pid} (sleep)\n`)
    expect(left.map(({ pid }) => pid)).toEqual([foreign.pid])
    expect(elapsed).toBeLessThan(1500)
    await endLeftProcesses()
    rmSync(folder, { recursive: true })
  })
})

// C53, with each runtime as the main program.
const handler = "process.on('SIGTERM', () => setTimeout(() => process.exit(7), 100));"
const stay = 'setInterval(() => {}, 1000); console.log("ready")'

forEachRuntime((runtime) => {
  const scripts = (code: string) => {
    if (runtime.name === 'deno')
      return [runtime.executable, 'eval', '--no-lock', `import process from 'node:process'; ${code}`]
    return [runtime.executable, '-e', code]
  }

  /** Starts it and waits until it says that it is ready, on standard output. */
  async function startReady(command: readonly string[], init?: readonly string[]) {
    const tree = plantTree('ready.sh')
    const words = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
    const script = `exec ${words} >'${tree.dir}/out'`
    const running = await startInit(asPid1, ['sh', '-c', script], {
      env: tree.env,
      ...(init === undefined ? { options: ['--budget', '1s'] } : { init }),
    })
    await waitUntil(() => tree.read('out').includes('ready'), 20_000, 'the main program is ready')
    return running
  }

  describeMode(asPid1, 'C53', () => {
    it('a main program without a handler ends by SIGTERM; as PID 1 itself it ignores it', async () => {
      const bare = await startReady(scripts(stay), [])
      bare.signal('SIGTERM')
      expect(await staysTheSame(() => isAlive(bare.id), 400)).toBe(true)
      bare.signal('SIGKILL')
      await bare.ended

      const { code, elapsed } = await stop(await startReady(scripts(stay)))
      expect(code).toBe(143)
      expect(elapsed).toBeLessThan(1200)
    })

    it('one with a handler ends in peace with its own code', async () => {
      const { code, elapsed } = await stop(await startReady(scripts(handler + stay)))
      expect(code).toBe(7)
      expect(elapsed).toBeLessThan(1200)
    })

    it('so does one below a shell, which ends before it', async () => {
      const words = scripts(`${handler} process.on('exit', () => console.log('in peace')); ${stay}`)
      const quoted = words.map((word) => `"${word.replaceAll(/["$`\\]/g, '\\$&')}"`).join(' ')
      const running = await startReady(['sh', '-c', `${quoted}; :`])
      const members = descendantsOf(running.id.pid).filter((stat) => !isDeadState(stat.state))
      expect(members.length).toBeGreaterThanOrEqual(2)
      const { code, left, elapsed } = await stop(running)
      expect(code).toBe(143)
      expect(left).toEqual([])
      expect(elapsed).toBeGreaterThan(95)
      expect(elapsed).toBeLessThan(1200)
    })
  })
})
