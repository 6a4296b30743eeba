// watchTree, with a host that is blocked, dead, or has lost the watcher; and never the wrong process.

import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { stopForeign } from '../support/foreign.js'
import { endLeftProcesses, guardEachTest, leftProcesses, remember } from '../support/guard.js'
import { type Host, startHost, useHost } from '../support/host.js'
import { naiveSpawn } from '../support/naive.js'
import { descendantsOf, endProcess, identify, isAlive, type ProcessStat, stateOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitFor, waitUntil } from '../support/wait.js'
import { expectRecordedGone, recordings, startWatch } from '../support/watch.js'

const allGone = (tree: Tree) =>
  waitUntil(
    () => tree.alive().length === 0,
    10_000,
    () => `gone: ${tree.alive()}`,
  )

/** The one process of the helper with this name below the host. */
const helperNamed = (host: Host, comm: string): Promise<ProcessStat> =>
  waitFor(() => descendantsOf(host.pid).find((stat) => stat.comm === comm), 10_000, `there is a ${comm}`)

forEachRuntime((runtime) => {
  describe.each(recordings)('recorded by $way', ({ env }) => {
    guardEachTest()

    it.each(['chain', 'flat'])('%s: the host dies by SIGKILL, and then everything ends', async (shape) => {
      const host = await startHost(runtime, { env })
      const tree = plantTree('adapter.mjs', shape)
      const watch = await startWatch(host, await naiveSpawn(host, tree), { budget: 400 })
      await watch.knows(tree)

      host.kill('SIGKILL')
      await host.ended

      await allGone(tree)
      await waitUntil(() => leftProcesses().length === 0, 10_000, 'the watcher and the supervisor are gone')
    })

    it('host and adapter die by SIGKILL at the same time, and the tools are stopped', async () => {
      const host = await startHost(runtime, { env })
      const tree = plantTree('adapter.mjs', 'flat')
      const watch = await startWatch(host, await naiveSpawn(host, tree), { budget: 400 })
      await watch.knows(tree)

      host.kill('SIGKILL')
      endProcess(tree.process('adapter'))
      await host.ended

      await allGone(tree)
    })
  })

  describe('a host that lives', () => {
    const host = useHost(runtime)

    it('G3: its event loop is blocked while the adapter is killed: the tools are stopped all the same', async () => {
      const tree = plantTree('adapter.mjs', 'flat')
      const watch = await startWatch(host(), await naiveSpawn(host(), tree), { budget: 400 })
      await watch.knows(tree)
      const release = `${tree.dir}/release`
      const blocked = host().evaluate(
        ({ fs }, path) => {
          const began = performance.now()
          while (!fs.existsSync(path) && performance.now() - began < 20_000);
          return performance.now() - began
        },
        release,
        30_000,
      )

      endProcess(tree.process('adapter'))
      await allGone(tree)
      writeFileSync(release, '')

      expect(await blocked).toBeLessThan(20_000)
      expectRecordedGone(await watch.settled(), 'exit')
    })

    it('G5: the watcher is killed: the host is told, and stops what it still finds', async () => {
      const tree = plantTree('adapter.mjs', 'chain')
      const watch = await startWatch(host(), await naiveSpawn(host(), tree))
      await watch.knows(tree)
      endProcess(await helperNamed(host(), 'procleash-watch'))
      expectRecordedGone(await watch.settled(), 'supervisor-lost')
      expect(tree.alive()).toEqual([])
    })

    it('G5, G6: watcher and adapter are killed: what nobody knows any more is not said to be gone', async () => {
      const tree = plantTree('adapter.mjs', 'chain')
      const watch = await startWatch(host(), await naiveSpawn(host(), tree))
      await watch.knows(tree)
      const watcher = await helperNamed(host(), 'procleash-watch')
      // The supervisor first: it wakes a keeper that was stopped.
      const supervisor = await helperNamed(host(), 'procleash-super')
      try {
        for (const helper of [supervisor, watcher]) {
          process.kill(helper.pid, 'SIGSTOP')
          await waitUntil(() => stateOf(helper) === 'T', 10_000, `${helper.comm} is stopped`)
        }
        endProcess(tree.process('adapter'))
        await waitUntil(() => !isAlive(tree.process('adapter')), 10_000, 'the adapter is gone')
        endProcess(watcher)
        expect(await watch.settled()).toMatchObject({
          outcome: 'survivors',
          reason: 'supervisor-lost',
          proof: 'none',
        })
      } finally {
        process.kill(supervisor.pid, 'SIGCONT')
      }
      await endLeftProcesses()
    })

    it('G5: the supervisor is killed: the recording goes on', async () => {
      const tree = plantTree('adapter.mjs', 'chain')
      const watch = await startWatch(host(), await naiveSpawn(host(), tree))
      await watch.knows(tree)
      endProcess(await helperNamed(host(), 'procleash-super'))
      endProcess(tree.process('adapter'))
      expectRecordedGone(await watch.settled(), 'exit')
      expect(tree.alive()).toEqual([])
    })

    it('C55: forty children that exit with 7 keep their statuses', async () => {
      const { codes, settlements } = await host().evaluate(async ({ procleash, childProcess }) => {
        const settled: Promise<{ readonly outcome: string } | null>[] = []
        const ended = Array.from({ length: 40 }, async (_, index) => {
          const child = childProcess.spawn('bash', ['-c', '(sleep 60 &); read -r; exit 7'], {
            stdio: ['pipe', 'ignore', 'ignore'],
            detached: true,
          })
          const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
          if (index % 4 === 0) settled.push((await procleash.watchTree(child.pid!)).settled)
          child.stdin!.end('\n')
          return exit
        })
        return { codes: await Promise.all(ended), settlements: await Promise.all(settled) }
      }, null)
      expect(codes).toEqual(Array.from({ length: 40 }, () => 7))
      expect(settlements.map((settlement) => settlement?.outcome)).toEqual(
        Array.from({ length: 10 }, () => 'empty'),
      )
      await endLeftProcesses()
    })

    it('C48: refuses 0, 1, negative numbers, the host, what it descends from, and mates of its group', async () => {
      const [orphan = 0] = await host().evaluate(({ childProcess }) => {
        const { stdout } = childProcess.spawnSync('bash', ['-c', 'sleep 60 >/dev/null 2>&1 & echo $!'])
        return [Number(stdout.toString())]
      }, null)
      const mate = identify(orphan)
      remember(mate)
      for (const pid of [0, 1, -1, -4711, host().pid, process.pid, process.ppid, orphan]) {
        await expect(startWatch(host(), pid)).rejects.toMatchObject({
          name: 'ForbiddenTargetError',
          code: 'ERR_PROCLEASH_FORBIDDEN_TARGET',
        })
      }
      expect([isAlive(host()), isAlive(mate)]).toEqual([true, true])
      endProcess(mate)
    })

    it('C48: a tree whose member runs `kill 0` ends, and nobody else', async () => {
      const bystander = identify(
        await host().evaluate(
          ({ childProcess }) => childProcess.spawn('sleep', ['60'], { stdio: 'ignore' }).pid!,
          null,
        ),
      )
      const script = 'setsid bash -c "sleep 61 & trap \\"kill 0\\" TERM; while :; do sleep 0.02; done" & wait'
      const pid = await host().evaluate(
        ({ childProcess }, text) => childProcess.spawn('bash', ['-c', text], { stdio: 'ignore' }).pid!,
        script,
      )
      const watch = await startWatch(host(), pid)
      await waitUntil(async () => (await watch.processes()).length >= 3, 10_000, 'the tree stands')
      expectRecordedGone(await watch.stop(), 'stop')
      expect([isAlive(bystander), isAlive(host())]).toEqual([true, true])
      await stopForeign(host(), bystander.pid)
    })

    it('says ESRCH for no process and for another start time, and which option is wrong', async () => {
      const tree = plantTree('own-session.sh')
      const pid = await naiveSpawn(host(), tree)
      const { startTime } = tree.process('shell')
      for (const [target, options] of [
        [4_194_300, {}],
        [pid, { startTime: startTime + 1 }],
      ] as const) {
        await expect(startWatch(host(), target, options)).rejects.toMatchObject({ code: 'ESRCH' })
      }
      for (const [options, option] of [
        [{ budget: -1 }, 'budget'],
        [{ stopSignal: 'SIGNOPE' }, 'stopSignal'],
        [{ startTime: 'now' }, 'startTime'],
        [{ leftovers: 'drop' }, 'leftovers'],
        [{ hostDeath: true }, 'hostDeath'],
      ] as const) {
        await expect(startWatch(host(), pid, options as object)).rejects.toMatchObject({ option })
      }
      expect(tree.alive().sort()).toEqual(['session', 'shell'])
      const watch = await startWatch(host(), pid, { startTime })
      expectRecordedGone(await watch.stop(), 'stop')
    })
  })

  describe('endings', () => {
    guardEachTest()

    it("hostDeath: 'keep' leaves the tree, and no watcher", async () => {
      const host = await startHost(runtime)
      const tree = plantTree('own-session.sh')
      const watch = await startWatch(host, await naiveSpawn(host, tree), { hostDeath: 'keep' })
      await watch.knows(tree)
      const watcher = await helperNamed(host, 'procleash-watch')
      host.kill('SIGKILL')
      await host.ended
      await waitUntil(() => !isAlive(watcher), 10_000, 'the watcher is gone')
      expect(tree.alive().sort()).toEqual(['session', 'shell'])
      await endLeftProcesses()
    })

    itNeeds(['root', 'setpriv'], 'an ordinary user records and stops as well', async () => {
      const host = await startHost(runtime, { user: 65_534 })
      const pid = await host.evaluate(
        ({ childProcess }) =>
          childProcess.spawn('bash', ['-c', 'setsid sleep 60 & wait'], { stdio: 'ignore' }).pid!,
        null,
      )
      const watch = await startWatch(host, pid)
      await waitUntil(
        async () => (await watch.processes()).some((entry) => entry.escaped === 'session'),
        10_000,
        'both are recorded',
      )
      process.kill(pid, 'SIGKILL')
      const settlement = await watch.settled()
      expectRecordedGone(settlement, 'exit')
      expect(settlement.ended.map((entry) => entry.escaped)).toContain('session')
    })
  })
})
