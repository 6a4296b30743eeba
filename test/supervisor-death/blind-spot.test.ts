// The known limit of G5. A keeper's tree is known by descent, and a sweep's by session, group and mark. A daemon that
// has emptied its environment has none of these once keeper and supervisor are killed together: only a cgroup still
// holds it. What is promised then is asserted; the daemon itself is ended by the test.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { helpersOf } from '../support/helpers.js'
import { startHost } from '../support/host.js'
import { endProcess, isAlive, readStat } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  guardEachTest()

  it.each([['keeper'], ['supervisor']])(
    'a daemon without a mark is gone when the %s is killed',
    async (part) => {
      const tree = plantTree('double-fork-daemon.py', 'unmarked')
      const host = await startHost(runtime)
      const command = await host.plant(tree)
      await waitUntil(() => readStat(tree.process('daemon').pid)?.comm === 'sleep', 3000, 'the mark is gone')
      const { supervisor, keepers } = helpersOf(host)

      process.kill(part === 'keeper' ? keepers[0]!.pid : supervisor.pid, 'SIGKILL')

      expect(await command.settled()).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost' })
      await waitUntil(
        () => tree.alive().length === 0,
        2000,
        () => `gone: ${tree.alive()}`,
      )
    },
  )

  it('known limit: with both killed, a daemon without mark and with a session of its own may stay; all else is gone, and no more is claimed than a snapshot', async () => {
    const tree = plantTree('double-fork-daemon.py', 'unmarked')
    const marked = plantTree('generations.sh')
    const host = await startHost(runtime)
    const command = await host.plant(tree)
    const other = await host.plant(marked)
    const daemon = tree.process('daemon')
    await waitUntil(() => readStat(daemon.pid)?.comm === 'sleep', 3000, 'the mark is gone')
    const { supervisor, keepers } = helpersOf(host)

    for (const id of [...keepers, supervisor]) endProcess(id)

    const settlement = await command.settled()
    expect(settlement).toMatchObject({ reason: 'supervisor-lost' })
    // Where a cgroup holds it, the daemon is gone, and that is proved.
    expect(isAlive(daemon) ? ['snapshot'] : ['snapshot', 'cgroup']).toContain(settlement.proof)
    expect(await other.settled()).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost' })
    expect(tree.alive().filter((role) => role !== 'daemon')).toEqual([])
    expect(marked.alive()).toEqual([])
    endProcess(daemon)
  })
})
