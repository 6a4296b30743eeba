// A command that waits for none of its children: thousands of zombies, which nobody else can take while it lives. They
// come up to the keeper with its end. Once is enough: no runtime has a part in it.

import { expect } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { guardEachTest } from '../support/guard.js'
import { keeperOf } from '../support/helpers.js'
import { startHost } from '../support/host.js'
import { isAlive, readStat } from '../support/proc.js'
import { forOneRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { compileTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

const ZOMBIES = 10_000

forOneRuntime((runtime) => {
  guardEachTest()

  itNeeds(['cc'], `${ZOMBIES} zombies of a deaf command`, async () => {
    const host = await startHost(runtime)
    const command = await host.spawn(compileTree('zombies'), [String(ZOMBIES)])
    await waitUntil(async () => (await command.output()).stdout === 'made\n', 40_000, 'the zombies are there')
    const keeper = keeperOf(command.pid)

    const settlement = await command.stop({ budget: 700 })

    expectEmpty(settlement, 'stop')
    expect(settlement.escalated).toBe(true)
    expect(settlement.elapsed).toBeLessThan(5000)
    expect(settlement.endedCount).toBe(ZOMBIES + 1)
    expect(readStat(command.pid)).toBeUndefined()
    await waitUntil(() => !isAlive(keeper), 3000, 'the keeper has ended')
  })
})
