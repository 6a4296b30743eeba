// What a dead keeper leaves comes up to the supervisor, which has to end it also when its descriptors are used up.

import { expect } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { helpersOf } from '../support/helpers.js'
import { startHost } from '../support/host.js'
import { endProcess, readStat } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds, limitProcess } from '../support/tools.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(['prlimit'], 'host and keeper killed: a daemon without a mark is gone', async () => {
    // Its own group, session and parent are gone, and it shows no mark: nobody else would find it.
    const tree = plantTree('double-fork-daemon.py', 'unmarked')
    const host = await startHost(runtime)
    await host.plant(tree)
    await waitUntil(() => readStat(tree.process('daemon').pid)?.comm === 'sleep', 3000, 'the mark is gone')
    const { supervisor, keepers } = helpersOf(host)
    limitProcess(supervisor.pid, ['--nofile=3'])

    for (const id of [host, ...keepers]) endProcess(id)

    await waitUntil(
      () => tree.alive().length === 0,
      5000,
      () => `gone: ${tree.alive()}`,
    )
    expect(tree.alive()).toEqual([])
  })
})
