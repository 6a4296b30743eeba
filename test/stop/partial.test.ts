// A stop that reaches only the process it knows: shells and package runners don't forward signals.

import { expect, it } from 'vitest'
import { canListen, expectAtOnce, expectEmpty } from '../support/expect.js'
import { stopIn700, useHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C01: ends the child of a shell with the shell, without waiting the grace out', async () => {
    const tree = plantTree('shell-and-child.sh')
    const command = await host().plant(tree)

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expectAtOnce(settlement.elapsed)
    expect(settlement.escalated).toBe(false)
    expect(await command.exited()).toEqual({ code: null, signal: 'SIGTERM' })
    expect((await command.allOutput()).stdout).toBe('started\n')
  })

  it('C02: ends the server behind a runner that is blocked, and frees its port', async () => {
    const tree = plantTree('runner-shim.mjs')
    const command = await host().plant(tree)
    expect(await canListen(Number(tree.read('port')))).toBe(false)

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expect(await canListen(Number(tree.read('port')))).toBe(true)
    expectEmpty(settlement, 'stop')
    expectAtOnce(settlement.elapsed)
  })
})
