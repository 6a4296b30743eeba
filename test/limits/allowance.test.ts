// The host's allowance of processes and descriptors is used up when a stop is needed.

import { expect } from 'vitest'
import { expectAtOnce, expectEmpty } from '../support/expect.js'
import { guardEachTest } from '../support/guard.js'
import { keeperOf } from '../support/helpers.js'
import { startHost, stopIn700 } from '../support/host.js'
import { isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds, limitProcess } from '../support/tools.js'
import { plantTree } from '../support/tree.js'

const USER = 61234
const FEW = ['--nproc=1', '--nofile=3']

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(
    ['root', 'setpriv', 'prlimit'],
    'C37: a stop needs no new process and no new descriptor',
    async () => {
      const tree = plantTree('shell-and-child.sh')
      const host = await startHost(runtime, { user: USER })
      const command = await host.plant(tree)
      limitProcess(host.pid, FEW, USER)

      const settlement = await stopIn700(command)

      expect(tree.alive()).toEqual([])
      expectEmpty(settlement, 'stop')
      expectAtOnce(settlement.elapsed)
      expect(isAlive(host)).toBe(true)
    },
  )

  itNeeds(['root', 'setpriv', 'prlimit'], 'C37: nor does the keeper, with a deaf tree', async () => {
    const tree = plantTree('deaf-family.sh')
    const host = await startHost(runtime, { user: USER })
    const command = await host.plant(tree)
    const keeper = keeperOf(command.pid).pid
    // Deno 2.9 itself panics (ext/signals) when it finds no descriptor for a while.
    const limited = runtime.name === 'deno' ? [keeper] : [host.pid, keeper]
    for (const pid of limited) limitProcess(pid, FEW, USER)

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expect(isAlive(host)).toBe(true)
  })
})
