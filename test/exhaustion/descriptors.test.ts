// No descriptor is left: for the host, the supervisor or the keeper. A start says so by name, a stop needs none, and
// nothing is called empty that could not be looked at.

import { expect } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { helpersOf, keeperOf } from '../support/helpers.js'
import { startHost } from '../support/host.js'
import { identify, isAlive, listedChildren, readStat } from '../support/proc.js'
import { outcomeOf } from '../support/remote.js'
import { forEachRuntime, forOneRuntime } from '../support/runtimes.js'
import { itNeeds, limitProcess } from '../support/tools.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(['prlimit'], 'none for the supervisor, or for the keeper', async () => {
    const host = await startHost(runtime)
    const outcomes: string[] = []
    for (let limit = 3; limit <= 18; limit += 3) {
      // A keeper that was forked ahead may still have the limit of the last round.
      await waitUntil(async () => (await outcomeOf(host.spawn('true'))) === 'started', 5000, 'it works again')
      // One that gave up may still be there before its successor.
      const supervisor = identify(listedChildren(host.pid).at(-1)!)
      limitProcess(supervisor.pid, [`--nofile=${limit}:`])
      // The first may find a keeper that was forked ahead, without the limit.
      for (let start = 0; start < 3; start += 1) outcomes.push(await outcomeOf(host.spawn('true')))
      try {
        limitProcess(supervisor.pid, ['--nofile=1024:'])
      } catch (error) {
        await waitUntil(() => !isAlive(supervisor), 3000, `ended, or why not: ${error}`)
      }
    }
    // Without one for the lease it ends, and the next start finds a new one.
    const lost = 'SupervisorLostError ERR_PROCLEASH_SUPERVISOR_LOST'
    expect(outcomes.at(-1)).toBe('started')
    expect([lost, 'SpawnError EMFILE', 'started']).toEqual(expect.arrayContaining(outcomes))
    expect(new Set(outcomes).size).toBeGreaterThan(1)
  })

  // Deno itself ends where it finds none for a while.
  if (runtime.name === 'deno') return
  itNeeds(['prlimit'], 'none for the host, and keeper and supervisor are killed', async () => {
    const tree = plantTree('deaf-family.sh')
    const host = await startHost(runtime)
    const command = await host.plant(tree)
    // The keeper last: its first signal is nothing to this family, where the supervisor would kill what a keeper leaves.
    const helpers = [helpersOf(host).supervisor, keeperOf(command.pid)]
    limitProcess(host.pid, ['--nofile=3:'])
    for (const { pid } of helpers) process.kill(pid, 'SIGKILL')
    const settlement = await command.settled()
    expect(settlement).toMatchObject({ outcome: 'survivors', reason: 'supervisor-lost', proof: 'none' })
    expect(tree.alive()).not.toEqual([])
    await endLeftProcesses()
  })
})

forOneRuntime((runtime) => {
  guardEachTest()

  itNeeds(['prlimit'], 'none for the supervisor, and the keeper is killed', async () => {
    // Nobody else can find this one.
    const tree = plantTree('double-fork-daemon.py', 'unmarked')
    const host = await startHost(runtime)
    const command = await host.plant(tree)
    await waitUntil(() => readStat(tree.process('daemon').pid)?.comm === 'sleep', 3000, 'the mark is gone')
    limitProcess(helpersOf(host).supervisor.pid, ['--nofile=1:'])
    process.kill(keeperOf(command.pid).pid, 'SIGKILL')
    await command.settled()
    await waitUntil(() => tree.alive().length === 0, 3000, 'gone')
  })

  itNeeds(['prlimit'], 'none and no process for the command', async () => {
    const host = await startHost(runtime)
    const deaf = "trap '' TERM; ulimit -n 3; ulimit -u 1; echo up; while :; do read -t 60 <&1; done"
    const command = await host.spawn('bash', ['-c', deaf])
    await waitUntil(async () => (await command.output()).stdout === 'up\n', 5000, 'up')
    expectEmpty(await command.stop({ budget: 700 }), 'stop')
  })
})
