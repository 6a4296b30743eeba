// A living host that loses its supervisor or a keeper: everything that waits is answered, and the next command is
// started as ever.

import { expect, it } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { guardEachTest } from '../support/guard.js'
import { helpersOf } from '../support/helpers.js'
import { startHost } from '../support/host.js'
import { isAlive, zombieChildrenOf } from '../support/proc.js'
import { remoteRun } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { staysTheSame, waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  guardEachTest()

  it('answers all that waits: runs, stops, lists, and commands with nothing to say', async () => {
    const host = await startHost(runtime)
    const silent = await host.spawn('sleep', ['60'])
    const stopping = await host.plant(plantTree('deaf-shell.sh'))
    const runs = [1, 2, 3].map(() => remoteRun(host, 'sh', ['-c', 'echo begun; sleep 60']))
    await waitUntil(() => helpersOf(host).keepers.length === 5, 5000, 'all run')
    const stop = stopping.stop({ budget: 10_000 })
    const list = silent.processes()

    process.kill(helpersOf(host).supervisor.pid, 'SIGKILL')

    expectEmpty(await silent.settled(), 'supervisor-lost')
    // It was being stopped when the supervisor was lost: either is true.
    expect(await stop).toMatchObject({ outcome: 'empty', survivors: [] })
    expect((await list).length).toBeLessThanOrEqual(1)
    for (const run of runs) {
      const { stdout, reason, settlement } = await run
      expect({ stdout, reason }).toEqual({ stdout: 'begun\n', reason: 'supervisor-lost' })
      expectEmpty(settlement, 'supervisor-lost')
    }
  })

  it('one keeper lost: the commands of the others run on', async () => {
    const host = await startHost(runtime)
    const trees = [1, 2, 3].map(() => plantTree('generations.sh'))
    const commands = await Promise.all(trees.map((tree) => host.plant(tree)))
    const { supervisor, keepers } = helpersOf(host)

    process.kill(keepers[1]!.pid, 'SIGKILL')

    const lost = await Promise.race(
      commands.map(async (command, index) => ({ index, settlement: await command.settled() })),
    )
    expect(lost.settlement).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost', survivors: [] })
    const others = trees.filter((_, index) => index !== lost.index)
    expect(trees[lost.index]!.alive()).toEqual([])
    expect(await staysTheSame(() => others.flatMap((tree) => tree.alive()).length, 300)).toBe(true)
    expect(others.map((tree) => tree.alive().length)).toEqual([4, 4])
    expect(helpersOf(host).supervisor.pid).toBe(supervisor.pid)
  })

  it('loses ten supervisors in a row, and leaves no zombie of any', async () => {
    const host = await startHost(runtime)
    for (let round = 0; round < 10; round += 1) {
      const command = await host.spawn('sleep', ['60'])
      const { supervisor } = helpersOf(host)
      process.kill(supervisor.pid, 'SIGKILL')
      expect(await command.settled()).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost' })
      await waitUntil(() => !isAlive(supervisor), 2000, 'it is gone')
    }
    const next = await host.spawn('sh', ['-c', 'exit 4'])
    expect(await next.exited()).toEqual({ code: 4, signal: null })
    await waitUntil(() => zombieChildrenOf(host.pid).length === 0, 1000, 'no zombie')
  })

  it('spawns that meet a dying supervisor run, or are refused as lost, and no zombie stays', async () => {
    const host = await startHost(runtime)
    for (let round = 0; round < 40; round += 1) {
      await (await host.spawn('true')).settled()
      const outcomes = await host.evaluate(({ procleash, process, describeError }, supervisor) => {
        // It is not gone yet when the spawns begin: kill(2) does not wait.
        process.kill(supervisor, 'SIGKILL')
        return Promise.all(
          [1, 2, 3].map(() =>
            procleash.run('true').then(
              ({ reason }) => reason as string,
              (error) => describeError(error).code,
            ),
          ),
        )
      }, helpersOf(host).supervisor.pid)
      for (const outcome of outcomes) {
        expect(['exit', 'supervisor-lost', 'ERR_PROCLEASH_SUPERVISOR_LOST']).toContain(outcome)
      }
    }
    await (await host.spawn('true')).settled()
    await waitUntil(() => zombieChildrenOf(host.pid).length === 0, 1000, 'no zombie')
  })
})
