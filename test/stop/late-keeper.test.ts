// A keeper that gets no turn until its stop is long overdue: on a machine that is too busy, in a paused container. What it
// then kills has had no time to end, and must not be named as surviving.

import { expect, it } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { guardEachTest } from '../support/guard.js'
import { keeperOf } from '../support/helpers.js'
import { startHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

const BUDGET = 200
/** Past the budget, when survivors are named: kOverrun in native/core/stop_plan.h, and some. */
const OVERDUE = BUDGET + 1100

forEachRuntime((runtime) => {
  guardEachTest()

  it('what a late keeper has only just killed is no survivor', async () => {
    const tree = plantTree('deaf-family.sh')
    const host = await startHost(runtime)
    const command = await host.plant(tree)
    const { pid: keeper, ppid: supervisor } = keeperOf(command.pid)
    // The supervisor would wake its keeper.
    for (const pid of [supervisor, keeper]) process.kill(pid, 'SIGSTOP')
    const asked = performance.now()
    const stopped = command.stop({ budget: BUDGET })
    await waitUntil(() => performance.now() - asked > OVERDUE, OVERDUE + 5000, 'the stop is overdue')
    for (const pid of [keeper, supervisor]) process.kill(pid, 'SIGCONT')

    const settlement = await stopped
    expectEmpty(settlement, 'stop')
    expect(settlement.escalated).toBe(true)
    expect(tree.alive()).toEqual([])
  })
})
