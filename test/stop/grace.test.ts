// Who obeys is given the time to, and is asked once.

import { expect, it } from 'vitest'
import { expectAtOnce, expectEmpty, SLOW } from '../support/expect.js'
import { isGroupGrade } from '../support/grade.js'
import { leftProcesses } from '../support/guard.js'
import { stopIn700, useHost } from '../support/host.js'
import { stateOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C08: lets a slow tree finish, with exactly one SIGTERM for each process', async () => {
    const tree = plantTree('slow-but-graceful.py')
    const command = await host().plant(tree)

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expect(settlement.escalated).toBe(false)
    expect(settlement.elapsed).toBeGreaterThanOrEqual(380)
    expect(settlement.elapsed).toBeLessThan(680)
    expect([tree.has('mark.child'), tree.has('mark.leader')]).toEqual([true, true])
    expect([tree.read('terms.child'), tree.read('terms.leader')]).toEqual(['TERM', 'TERM'])
    expect((await command.allOutput()).stdout).toBe('child-flushed\nleader-flushed\n')
    expect(await command.exited()).toEqual({ code: 0, signal: null })
  })

  it('C16: leaves a helper that was started because of SIGTERM its part of the budget, and ends it then', async () => {
    const tree = plantTree('helper-on-term.sh')
    const command = await host().plant(tree)

    const settlement = await stopIn700(command)

    const helper = Number(tree.read('helper'))
    expect(leftProcesses().filter((stat) => stat.pid === helper)).toEqual([])
    expect(tree.has('mark.helper-did-its-work')).toBe(true)
    expectEmpty(settlement, 'stop')
    expect(settlement.elapsed).toBeLessThanOrEqual(isGroupGrade ? SLOW : 1000)
    expect(await command.exited()).toEqual({ code: 0, signal: null })
  })

  it('C22: wakes a stopped process, so that its cleanup handler runs', async () => {
    const tree = plantTree('suspended-server.sh')
    const command = await host().plant(tree)
    await waitUntil(() => stateOf(tree.process('server')) === 'T', 2000, 'the server is stopped')

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expect(tree.has('mark.cleaned')).toBe(true)
    expectEmpty(settlement, 'stop')
    expectAtOnce(settlement.elapsed)
    expect(settlement.escalated).toBe(false)
  })
})
