// A keeper that lives and says nothing: a stop comes to an end without it.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { keeperOf } from '../support/helpers.js'
import { startHost } from '../support/host.js'
import { readStat } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  guardEachTest()

  it('a keeper that is stopped together with its supervisor is given up, and its tree is searched for', async () => {
    const tree = plantTree('shell-and-child.sh')
    const host = await startHost(runtime)
    const command = await host.plant(tree)
    const { pid: keeper, ppid: supervisor } = keeperOf(command.pid)
    // The supervisor would wake its keeper.
    const silent = [supervisor, keeper]
    for (const pid of silent) process.kill(pid, 'SIGSTOP')

    const settlement = await command.stop({ budget: 200 })

    expect(settlement).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost', proof: 'snapshot' })
    expect(tree.alive()).toEqual([])

    // The keeper first: the supervisor would wake it, and it may be gone before its own turn.
    for (const pid of [...silent].reverse()) process.kill(pid, 'SIGCONT')
    await waitUntil(() => readStat(keeper)?.comm !== 'procleash-keep', 2000, 'the keeper ends')
  })
})
