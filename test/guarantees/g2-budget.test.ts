// G2: the tree is empty within its budget, SIGKILL included; one that leaves earlier settles at once.

import { expect, it } from 'vitest'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { type Host, startHost, useHost } from '../support/host.js'
import { naiveGroupStop, naiveSpawn, naiveStop } from '../support/naive.js'
import { identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree, type Tree } from '../support/tree.js'

const BUDGET = 500
/** For the way of the request and the answer, and for a machine that is busy with another test. */
const SLACK = 250

interface Finding {
  /** Milliseconds beyond the bound. */
  readonly late: number
  readonly left: number
}

/** Seen from outside: how long a stop took from the request to the answer, and what was alive then. */
async function judge(tree: Tree, bound: number, stop: () => Promise<unknown>): Promise<Finding> {
  const members = tree
    .read('members')
    .split('\n')
    .map((pid) => identify(Number(pid)))
  const asked = performance.now()
  await stop()
  const late = Math.max(0, Math.round(performance.now() - asked - bound))
  return { late, left: members.filter(isAlive).length }
}

const perfect: Finding = { late: 0, left: 0 }

forEachRuntime((runtime) => {
  const host = useHost(runtime)
  const start = async (at: Host, ...args: string[]) => {
    const tree = plantTree('crowd.py', ...args)
    return { tree, command: await at.plant(tree, { stdout: 'ignore', stderr: 'ignore' }) }
  }

  it.each([1, 10, 100, 1000])(
    'a deaf tree of %i, half of it in other sessions, is empty within 500 ms',
    // The kernel needs two free cores for a while to end a thousand: three tries, if somebody else has them.
    { retry: 2 },
    async (size) => {
      const { tree, command } = await start(host(), String(size))

      expect(await judge(tree, BUDGET + SLACK, () => command.stop())).toEqual(perfect)

      const settlement = await command.settled()
      expect(settlement).toMatchObject({ outcome: 'empty', escalated: true, endedCount: size })
      // Until shortly before its end, the budget is the tree's own.
      expect(settlement.elapsed).toBeGreaterThanOrEqual(BUDGET / 4)
      expect(settlement.elapsed).toBeLessThanOrEqual(BUDGET + SLACK)
    },
  )

  it.each([1, 10, 100])('an obedient tree of %i is not kept waiting for a timer', async (size) => {
    const { tree, command } = await start(host(), String(size), 'obedient')
    expect(await judge(tree, BUDGET / 2, () => command.stop())).toEqual(perfect)
    expect(await command.settled()).toMatchObject({ outcome: 'empty', escalated: false, endedCount: size })
  })
})

forEachRuntime((runtime) => {
  guardEachTest()

  it('control: killing the known process leaves the rest', async () => {
    const host = await startHost(runtime)
    const tree = plantTree('crowd.py', '10')
    await naiveSpawn(host, tree)
    const found = await judge(tree, BUDGET + SLACK, () => naiveStop(host, 400))
    expect(found).toEqual({ late: 0, left: 9 })
    await endLeftProcesses()
  })

  it('control: waiting the grace out is late for an obedient tree', async () => {
    const host = await startHost(runtime)
    const tree = plantTree('crowd.py', '1', 'obedient')
    await naiveSpawn(host, tree, { detached: true })
    const found = await judge(tree, BUDGET / 2, () => naiveGroupStop(host, 400))
    expect(found).toEqual({ late: expect.any(Number), left: 0 })
    expect(found.late).toBeGreaterThan(0)
  })
})
