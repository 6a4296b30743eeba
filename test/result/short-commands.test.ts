// 2,000 short commands, 50 at a time: every exit status right, and host and supervisor afterwards as before.

import { expect } from 'vitest'
import { useHost } from '../support/host.js'
import {
  childrenOf,
  descendantsOf,
  descriptorsOf,
  executableOf,
  residentBytes,
  threadCount,
  zombieChildrenOf,
} from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { waitUntil } from '../support/wait.js'

const MiB = 2 ** 20
/** A runtime's own pools may still grow a little; 2,000 commands that each left something would show. */
const POOL = { fds: 6, threads: 4 }

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  /** Starts `count` commands, 50 at a time, each with a status of its own; gives those that came back wrong. */
  const wrongOf = (count: number) =>
    host().evaluate(
      async ({ procleash }, total) => {
        const wrong: string[] = []
        let next = 0
        const worker = async () => {
          for (let number = next++; number < total; number = next++) {
            const expected = number % 256
            const result = await procleash.run('sh', ['-c', `exit ${expected}`])
            if (result.code !== expected || result.settlement?.outcome !== 'empty') {
              wrong.push(`${number}: ${JSON.stringify(result)}`)
            }
          }
        }
        await Promise.all(Array.from({ length: 50 }, worker))
        return wrong
      },
      count,
      50_000,
    )

  // What the supervisor has open is root's to see.
  itNeeds(
    ['root'],
    '2,000 commands: every status right; descriptors, threads and memory flat; no zombie',
    async () => {
      // The first ones bring up what stays: the supervisor, the reactor's thread, the runtime's own pools.
      expect(await wrongOf(200)).toEqual([])
      const supervisors = () =>
        descendantsOf(host().pid).filter(
          (stat) => stat.state !== 'Z' && executableOf(stat.pid) === host().helper,
        )
      await waitUntil(() => supervisors().length === 1, 3000, 'only the supervisor is left')
      const supervisor = supervisors()[0]!
      const look = () => ({
        host: { fds: descriptorsOf(host().pid).size, threads: threadCount(host().pid) },
        supervisor: { fds: descriptorsOf(supervisor.pid).size, threads: threadCount(supervisor.pid) },
      })
      const before = look()
      const memory = { host: residentBytes(host().pid), supervisor: residentBytes(supervisor.pid) }

      expect(await wrongOf(2000)).toEqual([])

      await waitUntil(
        () => look().supervisor.fds <= before.supervisor.fds && look().host.fds <= before.host.fds + POOL.fds,
        3000,
        () => `as before; before ${JSON.stringify(before)}, now ${JSON.stringify(look())}`,
      )
      expect(look().supervisor.threads).toBe(before.supervisor.threads)
      expect(look().host.threads).toBeLessThanOrEqual(before.host.threads + POOL.threads)
      await waitUntil(() => supervisors().length === 1, 3000, 'the last keeper has ended')
      expect(supervisors()).toEqual([supervisor].map((stat) => expect.objectContaining({ pid: stat.pid })))
      expect(zombieChildrenOf(host().pid)).toEqual([])
      expect(childrenOf(supervisor.pid)).toEqual([])
      expect(residentBytes(supervisor.pid) - memory.supervisor).toBeLessThan(MiB)
      // A garbage-collected heap has its own ideas about when to shrink; a leak of 2,000 commands would be more.
      expect(residentBytes(host().pid) - memory.host).toBeLessThan(48 * MiB)
    },
  )
})
