// SIGKILL follows where SIGTERM isn't obeyed, decided by the whole tree and not by its leader.

import { expect, it } from 'vitest'
import { expectEmpty, expectWholeBudget } from '../support/expect.js'
import { stopIn700, useHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { plantTree } from '../support/tree.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C04: goes on to SIGKILL for a child although the leader obeyed', async () => {
    const tree = plantTree('obedient-leader.sh')
    const command = await host().plant(tree)
    const stubborn = tree.process('stubborn')

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expectWholeBudget(settlement.elapsed)
    expect(settlement.escalated).toBe(true)
    expect(settlement.ended).toContainEqual(expect.objectContaining({ pid: stubborn.pid, signal: 'SIGKILL' }))
    expect(settlement.ended.filter((entry) => entry.signal === 'SIGKILL')).toHaveLength(1)
    expect(await command.exited()).toEqual({ code: 0, signal: null })
    expect((await command.allOutput()).stdout).toBe('leader-bye\n')
  })

  it('C05: kills a tree that ignores SIGTERM, neither before its grace nor much after it', async () => {
    const tree = plantTree('deaf-shell.sh')
    const command = await host().plant(tree)
    const asked = performance.now()

    const settlement = await stopIn700(command)

    expectWholeBudget(performance.now() - asked)
    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expectWholeBudget(settlement.elapsed)
    expect(settlement.escalated).toBe(true)
    expect(await command.exited()).toEqual({ code: null, signal: 'SIGKILL' })
    expect((await command.allOutput()).stdout).toBe('started\n')
  })

  itNeeds(
    ['pid-namespace'],
    'C19: kills PID 1 of a namespace, which drops SIGTERM, and all in it',
    async () => {
      const tree = plantTree('pid-namespace.sh')
      const command = await host().plant(tree)
      expect(tree.alive().sort()).toEqual(['init', 'payload', 'shell', 'wrapper'])

      const settlement = await stopIn700(command)

      expect(tree.alive()).toEqual([])
      expectEmpty(settlement, 'stop')
      expectWholeBudget(settlement.elapsed)
      expect(settlement.escalated).toBe(true)
    },
  )
})
