// G5: the keeper, the supervisor, both, or the host with either is SIGKILLed: nothing is left, and a living host is told.

import { expect, it } from 'vitest'
import { itHoldsFrom } from '../support/grades.js'
import { guardEachTest } from '../support/guard.js'
import { keeperOf } from '../support/helpers.js'
import { type Host, startHost } from '../support/host.js'
import { isAlive, type ProcessId, readStat } from '../support/proc.js'
import type { RemoteCommand } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

type Part = 'keeper' | 'supervisor' | 'host'

/** The keeper is the command's parent, the supervisor the keeper's. */
function partsOf(host: Host, command: RemoteCommand): Record<Part, ProcessId> {
  const keeper = keeperOf(command.pid)
  const supervisor = readStat(keeper.ppid)!
  return { keeper, supervisor, host }
}

const together: Part[][] = [
  ['keeper'],
  ['supervisor'],
  ['keeper', 'supervisor'],
  ['host', 'keeper'],
  ['host', 'supervisor'],
]

forEachRuntime((runtime) => {
  guardEachTest()

  it.each(together.map((parts) => ({ parts, title: parts.join(' and ') })))(
    '$title killed',
    async ({ parts }) => {
      const tree = plantTree('deaf-family.sh')
      const host = await startHost(runtime)
      const command = await host.plant(tree)
      const pids = partsOf(host, command)
      expect(pids.supervisor.pid).not.toBe(1)

      for (const part of parts) process.kill(pids[part].pid, 'SIGKILL')

      await waitUntil(
        () => tree.alive().length === 0,
        2000,
        () => `gone: ${tree.alive()}`,
      )
      if (parts.includes('host')) return
      expect(await command.settled()).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost' })
      expect(isAlive(host)).toBe(true)

      // And it goes on: the next command gets what it needs.
      const next = await host.spawn('bash', ['-c', 'exit 4'])
      expect(await next.exited()).toEqual({ code: 4, signal: null })
      expect(await next.settled()).toMatchObject({ outcome: 'empty', reason: 'exit' })
    },
  )

  itHoldsFrom('cgroup', 'keeper and supervisor killed: a daemon without any mark', async () => {
    const tree = plantTree('double-fork-daemon.py', 'unmarked')
    const host = await startHost(runtime)
    const command = await host.plant(tree)
    await waitUntil(() => readStat(tree.process('daemon').pid)?.comm === 'sleep', 3000, 'the mark is gone')
    const { keeper, supervisor } = partsOf(host, command)

    for (const { pid } of [keeper, supervisor]) process.kill(pid, 'SIGKILL')

    expect(await command.settled()).toMatchObject({ outcome: 'empty', proof: 'cgroup' })
    expect(tree.alive()).toEqual([])
  })
})
