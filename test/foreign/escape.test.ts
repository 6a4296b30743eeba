// Processes that leave the tree: which of them a picture of /proc still ties to it, and which it can't.

import { expect, it } from 'vitest'
import { ample, expectObeyed, expectUnseen, stopForeign } from '../support/foreign.js'
import { endLeftProcesses } from '../support/guard.js'
import { useHost } from '../support/host.js'
import { naiveSpawn } from '../support/naive.js'
import { listedChildren, readStat } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C09: ends a child in a session of its own', async () => {
    const tree = plantTree('own-session.sh')
    const pid = await naiveSpawn(host(), tree)
    const session = tree.process('session')

    const settlement = await stopForeign(host(), pid, ample)

    expect(tree.alive()).toEqual([])
    expectObeyed(settlement)
    expect(settlement.ended).toContainEqual(
      expect.objectContaining({ pid: session.pid, escaped: 'session', argv: ['sleep', '60'] }),
    )
  })

  it('ends orphans in the group and in the session that a member leads', async () => {
    const tree = plantTree('orphans.sh')
    const pid = await naiveSpawn(host(), tree, { detached: true })
    const parents = ['same-group', 'own-group', 'below-session'].map(
      (role) => readStat(tree.process(role).pid)?.ppid,
    )
    expect(parents).not.toContain(pid)

    const settlement = await stopForeign(host(), pid, ample)

    expect(tree.alive()).toEqual([])
    expectObeyed(settlement)
    const escaped = new Map(settlement.ended.map((entry) => [entry.pid, entry.escaped]))
    expect(escaped.get(tree.process('same-group').pid)).toBe(null)
    expect(escaped.get(tree.process('own-group').pid)).toBe('group')
    expect(escaped.get(tree.process('below-session').pid)).toBe('daemon')
  })

  it("limit: of a tree in the host's group, an orphan can't be told from the host's own processes", async () => {
    const tree = plantTree('orphans.sh')
    const pid = await naiveSpawn(host(), tree)

    const settlement = await stopForeign(host(), pid, ample)

    expectUnseen(settlement)
    expect(tree.alive().sort()).toEqual(['own-group', 'same-group'])
    await endLeftProcesses()
  })

  it.each([
    ['C10', []],
    ['C11', ['unmarked']],
  ])('limit: %s: a daemon that left before the call is not seen', async (_, args) => {
    const tree = plantTree('double-fork-daemon.py', ...args)
    const pid = await naiveSpawn(host(), tree, { detached: true })
    expect(tree.alive().sort()).toEqual(['daemon', 'leader'])
    // As a zombie it still leads the session that the daemon is in.
    await waitUntil(() => listedChildren(pid).length === 0, 5000, 'the one in the middle is reaped')

    const settlement = await stopForeign(host(), pid, ample)

    expectUnseen(settlement)
    expect(settlement.ended.map((process) => process.pid)).not.toContain(tree.process('daemon').pid)
    expect(tree.alive()).toEqual(['daemon'])
    await endLeftProcesses()
  })

  it('limit: C06, C57: once the process itself is gone, there is nothing to name its tree by', async () => {
    for (const program of ['early-leader.sh', 'service.py']) {
      const tree = plantTree(program)
      const pid = await naiveSpawn(host(), tree, { detached: true })
      await waitUntil(() => readStat(pid) === undefined, 10_000, 'the runtime has reaped it')

      await expect(stopForeign(host(), pid)).rejects.toMatchObject({ code: 'ESRCH' })

      expect(tree.alive()).toHaveLength(1)
      await endLeftProcesses()
    }
  })
})
