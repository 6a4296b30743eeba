// G1: when a stop settles `empty`, no process of the tree exists, whatever it consists of.

import { expect, it } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { endLeftProcesses, guardEachTest, leftProcesses } from '../support/guard.js'
import { startHost, stopIn700 } from '../support/host.js'
import { naiveGroupStop, naiveSpawn } from '../support/naive.js'
import { stateOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree, type Tree } from '../support/tree.js'
import { staysTheSame } from '../support/wait.js'

/** Roles of the tree that are alive, seen from outside; one of them is never the same process for long. */
async function survivorsOf(tree: Tree): Promise<string[]> {
  const hops = !(await staysTheSame(() => tree.read('hopper'), 600))
  return [...tree.alive(), ...(hops ? ['hopper'] : [])].sort()
}

const ALL = [
  'daemon',
  'deaf',
  'forks-again',
  'hopper',
  'leader',
  'plain',
  'session',
  'stopped',
  'traced',
  'tracer',
]

forEachRuntime((runtime) => {
  guardEachTest()

  it('no process of any kind is left', async () => {
    const tree = plantTree('menagerie.py')
    const host = await startHost(runtime)
    const command = await host.plant(tree)
    expect(await survivorsOf(tree)).toEqual(ALL)
    expect(stateOf(tree.process('traced'))).toBe('t')
    expect(stateOf(tree.process('stopped'))).toBe('T')

    const settlement = await stopIn700(command)

    expect(await survivorsOf(tree)).toEqual([])
    expect(leftProcesses()).toEqual([])
    expectEmpty(settlement, 'stop')
    expect(settlement.escalated).toBe(true)
  })

  it('control: SIGTERM and SIGKILL to the group leave what this looks for', async () => {
    const tree = plantTree('menagerie.py')
    const host = await startHost(runtime)
    await naiveSpawn(host, tree, { detached: true })

    await naiveGroupStop(host, 600)

    const survivors = await survivorsOf(tree)
    expect(survivors).toEqual(expect.arrayContaining(['daemon', 'hopper', 'session']))
    expect(leftProcesses().length).toBeGreaterThanOrEqual(2)
    tree.remove()
    await endLeftProcesses()
  })
})
