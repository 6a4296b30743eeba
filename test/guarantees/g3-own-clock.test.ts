// G3: time limits, budgets and escalation hold while the host's event loop is blocked.

import { expect, it } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { naiveSpawn } from '../support/naive.js'
import { forEachRuntime } from '../support/runtimes.js'
import { PATIENCE } from '../support/sanitizer.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

/** Longer than waitUntil() takes to give up, in a sanitizer's run too. */
const BLOCKED = 2500 * PATIENCE
const BOUND = 1800

/** What of the tree is alive although its time is over, while the host can't do anything about it. */
async function lateWhileBlocked(host: Host, tree: Tree): Promise<string[]> {
  const blocked = host.request('block', { ms: BLOCKED, how: 'busy' })
  let over = false
  void blocked.finally(() => {
    over = true
  })
  await waitUntil(() => tree.alive().length === 0, BOUND, 'gone').catch(() => undefined)
  const alive = tree.alive()
  // The loop must have been blocked for all of it, or this has seen nothing.
  expect(over).toBe(false)
  await blocked
  return alive
}

forEachRuntime((runtime) => {
  guardEachTest()

  it('a time limit and its escalation hold', async () => {
    const host = await startHost(runtime)
    const tree = plantTree('deaf-family.sh')
    const command = await host.plant(tree, { timeout: 500, budget: 300 })
    expect(await lateWhileBlocked(host, tree)).toEqual([])
    expectEmpty(await command.settled(), 'timeout')
  })

  it('the escalation of a stop holds whose asker is blocked right after it', async () => {
    const host = await startHost(runtime)
    const tree = plantTree('deaf-family.sh')
    const command = await host.plant(tree)
    await host.evaluate(({ commands }, handle) => {
      void commands.get(handle)!.command.stop({ budget: 500 })
    }, command.handle)
    expect(await lateWhileBlocked(host, tree)).toEqual([])
    expectEmpty(await command.settled(), 'stop')
  })

  it('control: AbortSignal.timeout does not hold', async () => {
    const host = await startHost(runtime)
    const tree = plantTree('shell-and-child.sh')
    await naiveSpawn(host, tree, { timeout: 500 })
    expect(await lateWhileBlocked(host, tree)).toContain('shell')
    await endLeftProcesses()
  })
})
