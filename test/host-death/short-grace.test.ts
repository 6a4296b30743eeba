// A host whose own shutdown is cut short: what has begun its stop is stopped to the end by its keeper.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import type { RemoteCommand } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

const STOP_BUDGET = 1500
/** Of the service manager that ends the host: less than any stop takes. */
const GRACE = 100
/** What two busy cores may add to a budget. */
const NOISE = 1000

/** The host begins its shutdown at SIGTERM, and is given no time for it. */
async function shutDown(host: Host, command: RemoteCommand): Promise<void> {
  await host.evaluate(
    ({ process, commands, emit }, { handle, budget }) => {
      process.on('SIGTERM', () => {
        void commands.get(handle)!.command.stop({ budget })
        emit('stopping')
      })
    },
    { handle: command.handle, budget: STOP_BUDGET },
  )
  host.kill('SIGTERM')
  await host.event('stopping')
  const asked = performance.now()
  await waitUntil(() => performance.now() - asked > GRACE, 1000, 'the grace is over')
  host.kill('SIGKILL')
  await host.ended
}

async function expectGone(tree: Tree): Promise<void> {
  const took = await waitUntil(
    () => tree.alive().length === 0,
    STOP_BUDGET + NOISE + 3000,
    () => `gone: ${tree.alive()}`,
  )
  expect(took).toBeLessThanOrEqual(STOP_BUDGET + NOISE)
}

forEachRuntime((runtime) => {
  guardEachTest()

  it("a host whose own shutdown grace is shorter than a stop's budget leaves nothing either", async () => {
    const tree = plantTree('generations.sh')
    const host = await startHost(runtime)
    const command = await host.plant(tree)

    await shutDown(host, command)

    expect(tree.alive().length).toBeGreaterThan(0)
    await expectGone(tree)
  })

  it('what is graceful has its time after the host is gone', async () => {
    const tree = plantTree('slow-but-graceful.py')
    const host = await startHost(runtime)
    // Into a file: a pipe would break with the host, and the programs with it.
    const stdout = { path: join(tree.dir, 'output') }
    const command = await host.plant(tree, { budget: STOP_BUDGET, stdout, stderr: 'ignore' })

    await shutDown(host, command)

    await expectGone(tree)
    expect(tree.has('mark.child')).toBe(true)
    expect(tree.has('mark.leader')).toBe(true)
    // Asked once: the end of the host is no second request.
    expect(tree.read('terms.leader')).toBe('TERM')
  })
})
