// A service that a command leaves behind: ended with the command, unless it is said to be kept; never beyond the host.

import { expect, it } from 'vitest'
import { expectAtOnce, expectEmpty } from '../support/expect.js'
import { seenAs } from '../support/grade.js'
import { startHost, stopIn700, useHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { staysTheSame, waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C57: ends it unless it was declared', async () => {
    const tree = plantTree('service.py')
    const command = await host().plant(tree)
    expect(await command.exited()).toEqual({ code: 0, signal: null })

    const settlement = await command.settled()

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'exit')
    expect((await command.allOutput()).stdout).toBe('service started\n')
  })

  it("C57: keeps it with leftovers: 'keep' until it is stopped", async () => {
    const tree = plantTree('service.py')
    const command = await host().plant(tree, { leftovers: 'keep', kind: 'service' })
    expect(await command.exited()).toEqual({ code: 0, signal: null })
    expect(await staysTheSame(() => tree.read('beat'), 2000)).toBe(false)
    const service = tree.process('service')
    expect(await command.processes()).toEqual([
      expect.objectContaining({ ...seenAs(service), escaped: 'daemon' }),
    ])

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expectAtOnce(settlement.elapsed)
  })

  it("C57: a kept service doesn't outlive its host", async () => {
    const tree = plantTree('service.py')
    const dying = await startHost(runtime)
    const command = await dying.plant(tree, { leftovers: 'keep' })
    await command.exited()
    expect(tree.alive()).toEqual(['service'])

    dying.kill('SIGKILL')

    await waitUntil(() => tree.alive().length === 0, 1500, 'the service is gone')
  })
})
