// The host is SIGKILLed: the lease breaks, and that alone stops the tree.

import { expect, it } from 'vitest'
import { expectAtOnce, expectEmpty } from '../support/expect.js'
import { guardEachTest, remember } from '../support/guard.js'
import { startHost, stopIn700 } from '../support/host.js'
import { endProcess, identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { plantTree } from '../support/tree.js'
import { staysTheSame, waitUntil } from '../support/wait.js'

/** Default budget 500 ms, and air for a busy machine. */
const LEASE_BOUND = 1000

forEachRuntime((runtime) => {
  guardEachTest()

  it('C38: a deaf shell, its child and its child in another session are gone within the lease bound', async () => {
    const tree = plantTree('deaf-family.sh')
    const host = await startHost(runtime)
    await host.plant(tree)
    expect(tree.alive().sort()).toEqual(['child', 'session', 'shell'])

    host.kill('SIGKILL')

    const took = await waitUntil(
      () => tree.alive().length === 0,
      3000,
      () => `gone: ${tree.alive()}`,
    )
    expect(took).toBeLessThanOrEqual(LEASE_BOUND)
  })

  itNeeds(
    ['setpriv'],
    'C39: the grandchild of a command with a parent-death signal is gone as well',
    async () => {
      const tree = plantTree('parent-death-signal.sh')
      const host = await startHost(runtime)
      await host.plant(tree)

      host.kill('SIGKILL')

      const took = await waitUntil(
        () => tree.alive().length === 0,
        3000,
        () => `gone: ${tree.alive()}`,
      )
      expect(took).toBeLessThanOrEqual(LEASE_BOUND)
    },
  )

  it('C45: an MCP server that ignores the end of its input and write errors is gone, and stops beating', async () => {
    const tree = plantTree('mcp-server.mjs')
    const host = await startHost(runtime)
    await host.plant(tree, { stdin: 'pipe' })

    host.kill('SIGKILL')

    const took = await waitUntil(
      () => tree.alive().length === 0,
      3000,
      () => `gone: ${tree.alive()}`,
    )
    expect(took).toBeLessThanOrEqual(LEASE_BOUND)
    expect(await staysTheSame(() => tree.read('beat'), 150)).toBe(true)
  })

  it('C45: closed in order: end of input, then a stop', async () => {
    const tree = plantTree('mcp-server.mjs')
    const host = await startHost(runtime)
    const command = await host.plant(tree, { stdin: 'pipe' })
    await command.closeInput()
    expect(await staysTheSame(() => tree.read('beat'), 2000)).toBe(false)

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expectAtOnce(settlement.elapsed)
  })

  it("C46: the lease breaks though the host's other children live on with all they inherited", async () => {
    const tree = plantTree('deaf-family.sh')
    const host = await startHost(runtime)
    await host.plant(tree)
    const pid = await host.evaluate(({ childProcess }) => {
      const child = childProcess.spawn('sleep', ['30'], { stdio: 'ignore', detached: true })
      child.unref()
      return child.pid!
    }, null)
    const other = identify(pid)
    remember(other)

    host.kill('SIGKILL')

    try {
      const took = await waitUntil(
        () => tree.alive().length === 0,
        3000,
        () => `gone: ${tree.alive()}`,
      )
      expect(took).toBeLessThanOrEqual(LEASE_BOUND)
      expect(isAlive(other)).toBe(true)
    } finally {
      endProcess(other)
    }
  })
})
