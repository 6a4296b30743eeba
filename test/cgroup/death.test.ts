// Grade `cgroup` when keeper, supervisor or host are killed, in every combination: it closes the known limit of G5
// (test/supervisor-death/blind-spot.test.ts), a daemon without any mark once keeper and supervisor are killed together.

import { expect } from 'vitest'
import { makeCgroup, type TestCgroup } from '../support/cgroup.js'
import { guardEachTest } from '../support/guard.js'
import { helpersOf } from '../support/helpers.js'
import { type Host, startHost } from '../support/host.js'
import { endProcess, isAlive, readStat } from '../support/proc.js'
import type { RemoteCommand } from '../support/remote.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

type Part = 'host' | 'keeper' | 'supervisor'

const combinations: readonly (readonly Part[])[] = [
  ['keeper'],
  ['supervisor'],
  ['host'],
  ['keeper', 'supervisor'],
  ['supervisor', 'keeper'],
  ['host', 'keeper'],
  ['keeper', 'host'],
  ['host', 'supervisor'],
]

interface Planted {
  readonly cgroup: TestCgroup
  readonly host: Host
  readonly tree: Tree
  readonly command: RemoteCommand
}

/** Nothing but its cgroup says whose the daemon is. */
async function plantUnmarked(runtime: Runtime): Promise<Planted> {
  const cgroup = makeCgroup()
  const host = await startHost(runtime, { via: cgroup.via })
  const tree = plantTree('double-fork-daemon.py', 'unmarked')
  const command = await host.plant(tree, { require: 'cgroup' })
  await waitUntil(() => readStat(tree.process('daemon').pid)?.comm === 'sleep', 3000, 'the mark is gone')
  return { cgroup, host, tree, command }
}

function killParts(host: Host, parts: readonly Part[]): void {
  const { supervisor, keepers } = helpersOf(host)
  const ids = { host, supervisor, keeper: keepers[0]! }
  // After the first of them the others may be quicker than we are.
  for (const part of parts) endProcess(ids[part])
}

async function untilGone({ tree, cgroup }: Planted): Promise<void> {
  await waitUntil(
    () => tree.alive().length === 0,
    5000,
    () => `gone: ${tree.alive()}`,
  )
  await waitUntil(
    () => cgroup.leaves().length === 0,
    5000,
    () => `removed: ${cgroup.leaves()}`,
  )
}

forEachRuntime((runtime) => {
  guardEachTest()

  for (const parts of combinations) {
    itNeeds(
      ['cgroup'],
      `${parts.join(' and ')} killed: the unmarked daemon is gone, its cgroup too`,
      async () => {
        const planted = await plantUnmarked(runtime)
        const { host, command } = planted

        killParts(host, parts)

        await untilGone(planted)
        if (parts.includes('host')) return
        const settlement = await command.settled()
        expect(settlement).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost' })
        // Where the keeper lived on, it gave its own word.
        expect(settlement.proof).toBe('cgroup')
        expect(isAlive(host)).toBe(true)
      },
    )
  }

  itNeeds(['cgroup'], 'all three killed: it stays, until the next host there ends it', async () => {
    const planted = await plantUnmarked(runtime)
    const { cgroup, host, tree } = planted
    const { supervisor, keepers } = helpersOf(host)
    // Stopped first: none of them may act on the end of another.
    for (const { pid } of [supervisor, ...keepers]) process.kill(pid, 'SIGSTOP')
    for (const id of [host, supervisor, ...keepers]) endProcess(id)
    await host.ended
    expect(tree.alive()).toContain('daemon')
    const [abandoned = ''] = cgroup.leaves()

    const next = await startHost(runtime, { via: cgroup.via })
    const other = await next.spawn('sleep', ['60'], { require: 'cgroup' })

    await waitUntil(
      () => !cgroup.leaves().includes(abandoned) && tree.alive().length === 0,
      5000,
      () => `gone: ${tree.alive()} ${cgroup.leaves()}`,
    )
    expect(await other.stop()).toMatchObject({ outcome: 'empty', proof: 'cgroup' })
  })

  itNeeds(['cgroup'], 'a second host there leaves the trees of the first alone', async () => {
    const { cgroup, host, tree, command } = await plantUnmarked(runtime)
    const second = await startHost(runtime, { via: cgroup.via })
    const other = await second.spawn('sleep', ['60'], { require: 'cgroup' })
    expect(cgroup.leaves()).toHaveLength(2)
    await other.stop()
    await second.close()
    expect(tree.alive()).toContain('daemon')
    expect(isAlive(host)).toBe(true)
    expect(await command.stop()).toMatchObject({ outcome: 'empty', proof: 'cgroup' })
  })

  itNeeds(
    ['cgroup'],
    'a keeper that still gives the dead host a grace is not cut short by the next host',
    async () => {
      const cgroup = makeCgroup()
      const host = await startHost(runtime, { via: cgroup.via })
      const tree = plantTree('deaf-shell.sh')
      await host.plant(tree, { require: 'cgroup', budget: 30_000 })
      host.kill('SIGKILL')
      await host.ended

      const next = await startHost(runtime, { via: cgroup.via })
      const other = await next.spawn('sleep', ['60'], { require: 'cgroup' })
      expect(tree.alive().length).toBeGreaterThan(0)

      await other.stop()
      for (const role of tree.alive()) endProcess(tree.process(role))
    },
  )
})
