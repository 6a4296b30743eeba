// inspectTree: every field against /proc, the order, how each left the group of its parent.

import { expect, it } from 'vitest'
import { inspectForeign, stopForeign } from '../support/foreign.js'
import { useHost } from '../support/host.js'
import { naiveSpawn } from '../support/naive.js'
import { argvOf, readStat, residentBytes, threadCount } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('shows each process as /proc has it, parents before children', async () => {
    const tree = plantTree('orphans.sh')
    const pid = await naiveSpawn(host(), tree, { detached: true })

    const processes = await inspectForeign(host(), pid)

    const places = processes.map((entry) => entry.pid)
    expect(places[0]).toBe(pid)
    for (const role of ['leader', 'same-group', 'own-group', 'session', 'below-session']) {
      expect(places).toContain(tree.process(role).pid)
    }
    for (const [index, entry] of processes.entries()) {
      const stat = readStat(entry.pid)!
      const { ppid, pgid, sid, startTime } = stat
      expect(entry).toMatchObject({ ppid, pgid, sid, startTime, argv: argvOf(entry.pid) })
      expect(entry.threads).toBe(threadCount(entry.pid))
      expect(entry.cpuTime).toBeGreaterThanOrEqual(0)
      expect(Math.abs(entry.memory - residentBytes(entry.pid))).toBeLessThan(4_000_000)
      const parent = places.indexOf(entry.ppid)
      if (index > 0 && parent >= 0) expect(parent).toBeLessThan(index)
    }
    const escaped = new Map(processes.map((entry) => [entry.pid, entry.escaped]))
    const escapes = ['leader', 'same-group', 'own-group', 'session', 'below-session'].map((role) =>
      escaped.get(tree.process(role).pid),
    )
    expect(escapes).toEqual([null, null, 'group', 'session', 'daemon'])
    // Below a session of its own, but in the group of its parent.
    const inner = processes.find((entry) => entry.ppid === tree.process('session').pid)
    expect(inner?.escaped).toBe(null)
    await stopForeign(host(), pid)
  })

  it('shows zombies, and the host itself', async () => {
    const pid = await host().evaluate(async ({ childProcess }) => {
      // The shell is gone when its child ends, so nobody reaps it.
      const script = 'sleep 0.2 & exec sleep 60'
      return childProcess.spawn('bash', ['-c', script], { stdio: 'ignore' }).pid!
    }, null)
    const found = await host().evaluate(async ({ procleash, process }, root) => {
      let processes = await procleash.inspectTree(root)
      while (!processes.some((entry) => entry.state === 'Z')) processes = await procleash.inspectTree(root)
      return { processes, own: await procleash.inspectTree(process.pid) }
    }, pid)
    expect(found.processes).toHaveLength(2)
    expect(found.processes[1]).toMatchObject({ ppid: pid, state: 'Z', argv: [], memory: 0 })
    expect(found.own[0]?.pid).toBe(host().pid)
    expect(found.own.map((entry) => entry.pid)).toContain(pid)
    await stopForeign(host(), pid)
  })

  it('says ESRCH for no process, and which argument is wrong', async () => {
    for (const pid of [0, 4_194_300]) {
      await expect(inspectForeign(host(), pid)).rejects.toMatchObject({ code: 'ESRCH' })
    }
    for (const pid of [-1, 1.5]) {
      await expect(inspectForeign(host(), pid)).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
    }
  })
})
