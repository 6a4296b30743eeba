// Trees that are different by the time they have been looked at.

import { expect, it } from 'vitest'
import { expectAtOnce, expectEmpty } from '../support/expect.js'
import { stopIn700, useHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { staysTheSame } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C13: ends a lineage that is a new process in a new session every 5 ms', async () => {
    const tree = plantTree('hopper.py')
    const command = await host().plant(tree)
    expect(await staysTheSame(() => tree.read('pid.hopper'), 2000)).toBe(false)

    const settlement = await stopIn700(command)

    expect(await staysTheSame(() => tree.read('pid.hopper'), 200)).toBe(true)
    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expect(settlement.elapsed).toBeLessThanOrEqual(1000)
  })

  it('C14: ends a fork storm inside one group at once', async () => {
    const tree = plantTree('fork-storm.py')
    const command = await host().plant(tree)
    const lines = () => Array.from({ length: 24 }, (_, line) => tree.read(`line.${line}`)).join(' ')
    expect(await staysTheSame(lines, 2000)).toBe(false)

    const settlement = await stopIn700(command)

    expect(await staysTheSame(lines, 150)).toBe(true)
    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expectAtOnce(settlement.elapsed)
    expect(settlement.escalated).toBe(false)
  })
})
