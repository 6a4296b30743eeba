// What can't be ended is named with a reason, at the deadline and not for ever after it.

import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { expectBounded, expectUnseen, stopForeign } from '../support/foreign.js'
import { guardEachTest, remember } from '../support/guard.js'
import { startHost } from '../support/host.js'
import { naiveSpawn } from '../support/naive.js'
import { argvOf, descendantsOf, endProcess, isAlive, readStat, statusOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { itNeeds, limitProcess } from '../support/tools.js'
import { plantTree } from '../support/tree.js'
import { waitFor, waitUntil } from '../support/wait.js'

const NOBODY = 65534

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(['root', 'setpriv'], 'C26: what the host may not signal is named: permission', async () => {
    const folder = makeFolder('setuid')
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const setuid = join(folder, 'setpriv')
    copyFileSync('/usr/bin/setpriv', setuid)
    chmodSync(setuid, 0o4755)
    const host = await startHost(runtime, { user: NOBODY })
    const asRoot = `"$1" --reuid 0 --regid 0 --clear-groups sleep 60`
    const pid = await host.evaluate(
      ({ childProcess }, args) => childProcess.spawn('bash', args, { detached: true, stdio: 'ignore' }).pid!,
      ['-c', `${asRoot} & sleep 61 & wait`, 'bash', setuid],
    )
    const sleepOf = (uid: number) =>
      descendantsOf(pid).find((stat) => stat.comm === 'sleep' && ownerOf(stat.pid) === uid)
    const root = await waitFor(() => sleepOf(0), 10_000, 'the child has become root')
    const user = await waitFor(() => sleepOf(NOBODY), 10_000, 'the other child runs')
    remember(root)
    try {
      const settlement = await stopForeign(host, pid, { budget: 700 })

      expect(settlement).toMatchObject({ outcome: 'survivors', reason: 'stop', proof: 'none', endedCount: 2 })
      expect(settlement.survivors).toEqual([
        {
          pid: root.pid,
          startTime: root.startTime,
          state: 'S',
          reason: 'permission',
          argv: ['sleep', '60'],
        },
      ])
      expectBounded(settlement)
      expect([isAlive(root), isAlive(user), isAlive(host)]).toEqual([true, false, true])
    } finally {
      endProcess(root)
    }
    await waitUntil(() => !isAlive(root), 10_000, 'ended by us, who are root')
  })

  itNeeds(['root', 'freezer'], 'C25: names a process in state D, within the budget and a bound', async () => {
    const host = await startHost(runtime)
    const tree = plantTree('shell-and-child.sh')
    const pid = await naiveSpawn(host, tree)
    const child = tree.process('child')
    await waitUntil(
      () => argvOf(child.pid)[0] === 'sleep',
      10_000,
      'the child is no copy of the shell any more',
    )
    const freezer = `/sys/fs/cgroup/freezer/procleash-test-${host.mark}`
    mkdirSync(freezer)
    onTestFinished(() => rmdirSync(freezer))
    const freeze = (state: 'FROZEN' | 'THAWED') => writeFileSync(`${freezer}/freezer.state`, state)
    writeFileSync(`${freezer}/cgroup.procs`, String(child.pid))
    freeze('FROZEN')
    try {
      const isFrozen = () => readFileSync(`${freezer}/freezer.state`, 'utf8').trim() === 'FROZEN'
      await waitUntil(isFrozen, 10_000, 'the child is frozen')

      const settlement = await stopForeign(host, pid, { budget: 700 })

      expect(settlement).toMatchObject({ outcome: 'survivors', escalated: true, endedCount: 1 })
      expect(settlement.survivors).toEqual([
        { ...child, argv: ['sleep', '60'], state: 'D', reason: 'uninterruptible' },
      ])
      expectBounded(settlement)
      expect(tree.alive()).toEqual(['child'])
    } finally {
      freeze('THAWED')
    }
    await waitUntil(() => !isAlive(child), 10_000, 'once thawed, it dies of the SIGKILL that it was sent')
    await waitUntil(() => readStat(child.pid) === undefined, 10_000, 'and is reaped')
  })

  itNeeds(
    // Deno itself panics without descriptors.
    ['prlimit', ...(runtime.name === 'deno' ? (['another-runtime'] as const) : [])],
    'G6: out of descriptors, it never says empty, and ends all once it can look again',
    async () => {
      const host = await startHost(runtime)
      const tree = plantTree('deaf-family.sh')
      const pid = await naiveSpawn(host, tree)
      limitProcess(host.pid, ['--nofile=200'])

      const seen = await host.evaluate(async ({ procleash, fs }, target) => {
        const stopping = procleash.stopTree(target, { budget: 300 })
        const fds: number[] = []
        // Again and again: the stop has some open for a moment, and gives them back.
        for (const until = Date.now() + 60; Date.now() < until; ) {
          try {
            for (;;) fds.push(fs.openSync('/dev/null', 'r'))
          } catch {
            // That was the last one.
          }
        }
        const code = await procleash.stopTree(target).catch((error: { code: string }) => error.code)
        const first = await stopping
        for (const fd of fds) fs.closeSync(fd)
        return { first, code }
      }, pid)

      expect(seen.code).toBe('EMFILE')
      const alive = tree.alive().map((role) => tree.process(role).pid)
      if (seen.first.outcome === 'empty') {
        // The runtime closed some of its own meanwhile.
        expect(alive).toEqual([])
      } else {
        // What it had seen before; that may be no more than the process itself.
        const named = seen.first.survivors.map((survivor) => survivor.pid)
        expect(named).toContain(pid)
        expect(alive).toEqual(expect.arrayContaining(named))
        expectUnseen(await stopForeign(host, pid, { budget: 300 }))
      }
      expect(tree.alive()).toEqual([])
    },
  )

  itNeeds(['root'], 'C26: root ends members of every user', async () => {
    const host = await startHost(runtime)
    const tree = plantTree('two-users.py')
    const pid = await naiveSpawn(host, tree)
    expectUnseen(await stopForeign(host, pid))
    expect(tree.alive()).toEqual([])
  })
})

function ownerOf(pid: number): number | undefined {
  try {
    return Number(statusOf(pid, 'Uid').split(/\s+/)[0])
  } catch {
    return undefined
  }
}
