// G4: the host dies, in any way, and every tree of it is stopped within its budget.

import { expect, it } from 'vitest'
import { endLeftProcesses, guardEachTest, leftProcesses } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { naiveSpawn } from '../support/naive.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

const BOUND = 1000

/** What of all that the host started is alive when the bound is over. */
async function leftAfterDeath(host: Host, die: () => unknown): Promise<number> {
  await die()
  await host.ended
  await waitUntil(() => leftProcesses().length === 0, BOUND, 'nothing left').catch(() => undefined)
  return leftProcesses().length
}

forEachRuntime((runtime) => {
  guardEachTest()

  const threeTrees = async (host: Host) => {
    for (const program of ['deaf-family.sh', 'double-fork-daemon.py', 'menagerie.py']) {
      await host.plant(plantTree(program))
    }
  }

  it.each(['exit', 'throw', 'abort'])('no tree is left by %s', async (how) => {
    const host = await startHost(runtime)
    await threeTrees(host)
    expect(await leftAfterDeath(host, () => host.request('end', { how }))).toBe(0)
  })

  it('no tree is left by SIGKILL, nor by SIGKILL in the middle of a stop', async () => {
    const host = await startHost(runtime)
    await threeTrees(host)
    expect(await leftAfterDeath(host, () => host.kill('SIGKILL'))).toBe(0)

    const second = await startHost(runtime)
    const command = await second.plant(plantTree('deaf-family.sh'))
    await second.evaluate(({ commands }, handle) => {
      void commands.get(handle)!.command.stop({ budget: 60_000 })
    }, command.handle)
    expect(await leftAfterDeath(second, () => second.kill('SIGKILL'))).toBe(0)
  })

  it('control: child_process leaves the tree', async () => {
    const host = await startHost(runtime)
    await naiveSpawn(host, plantTree('deaf-family.sh'))
    expect(await leftAfterDeath(host, () => host.kill('SIGKILL'))).toBe(3)
    await endLeftProcesses()
  })
})
