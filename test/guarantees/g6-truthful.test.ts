// G6: `empty` is said only when it is so. What is left otherwise is named: see also test/limits/.

import { expect, it } from 'vitest'
import type { Settlement } from '../../src/types.js'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { startHost, stopIn700, useHost } from '../support/host.js'
import { naiveSpawn, naiveStop } from '../support/naive.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree, type Tree } from '../support/tree.js'

/** What was claimed to be over and is alive. */
function untruths(tree: Tree, claimedEmpty: boolean): string[] {
  return claimedEmpty ? tree.alive() : []
}

const PROGRAMS = [
  'shell-and-child.sh',
  'obedient-leader.sh',
  'deaf-shell.sh',
  'deaf-family.sh',
  'own-session.sh',
  'double-fork-daemon.py',
  'suspended-server.sh',
]

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('nothing is alive at the moment that a settlement says empty', async () => {
    await Promise.all(
      PROGRAMS.map(async (program) => {
        const tree = plantTree(program)
        const command = await host().plant(tree)
        const settlement = await stopIn700(command)
        expect(settlement.outcome).toBe('empty')
        expect(untruths(tree, true)).toEqual([])
        expectConsistent(settlement)
      }),
    )
  })

  it('counts who ended exactly, and lists the first of them', async () => {
    const tree = plantTree('crowd.py', '100')
    const command = await host().plant(tree)
    const members = tree.read('members').split('\n').map(Number)
    const settlement = await stopIn700(command)
    expectConsistent(settlement)
    expect(settlement.endedCount).toBe(100)
    expect(settlement.ended).toHaveLength(64)
    for (const { pid } of settlement.ended) expect(members).toContain(pid)
    expect(settlement.ended.filter((entry) => entry.escaped === 'session').length).toBeGreaterThan(0)
  })

  it('says what the tree used', async () => {
    const burn = 'for ((i = 0; i < 300000; i++)); do :; done'
    const command = await host().spawn('bash', ['-c', burn])
    const { usage } = await command.settled()
    expect(usage.userTime + usage.systemTime).toBeGreaterThan(50)
    expect(usage.userTime + usage.systemTime).toBeLessThan(5000)
    expect(usage.maxRss).toBeGreaterThan(500_000)
    expect(usage.maxRss).toBeLessThan(100_000_000)
  })
})

forEachRuntime((runtime) => {
  guardEachTest()

  it("control: the end of the child, which child_process tells, isn't the end of the tree", async () => {
    const host = await startHost(runtime)
    const tree = plantTree('obedient-leader.sh')
    await naiveSpawn(host, tree)
    await naiveStop(host, 600)
    expect(untruths(tree, true)).toEqual(['stubborn'])
    await endLeftProcesses()
  })
})

function expectConsistent(settlement: Settlement): void {
  expect(settlement.survivors).toHaveLength(0)
  expect(settlement.endedCount).toBeGreaterThanOrEqual(settlement.ended.length)
  expect(settlement.ended.length).toBeLessThanOrEqual(64)
  expect(new Set(settlement.ended.map((entry) => entry.pid)).size).toBe(settlement.ended.length)
  if (settlement.ended.some((entry) => entry.signal === 'SIGKILL')) expect(settlement.escalated).toBe(true)
}
