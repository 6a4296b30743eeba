// A worker's trees end with it, however it ends, and nobody else's do.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { plantTree, type Tree } from '../support/tree.js'
import { staysTheSame, waitUntil, within } from '../support/wait.js'

const BUDGET = 300
/** What two busy cores may add to a budget. */
const NOISE = 1000
const WHOLE = ['child', 'daemon', 'grandchild', 'leader']

interface Started {
  readonly host: Host
  readonly main: Tree
  readonly first: Tree
  readonly second: Tree
}

async function startWorkers(runtime: Runtime): Promise<Started> {
  const [main, first, second] = [1, 2, 3].map(() => plantTree('generations.sh')) as [Tree, Tree, Tree]
  const args = [main, first, second].map(({ file, args, env }) =>
    JSON.stringify({ file, args, env, budget: BUDGET }),
  )
  const host = await startHost(runtime, { program: 'workers.mjs', args })
  await Promise.all([main, first, second].map((tree) => tree.ready()))
  for (const name of ['main', 'worker-0', 'worker-1']) await host.event(`started-${name}`)
  return { host, main, first, second }
}

async function expectGone(trees: readonly Tree[]): Promise<void> {
  const alive = () => trees.flatMap((tree) => tree.alive())
  const took = await waitUntil(
    () => alive().length === 0,
    BUDGET + NOISE + 3000,
    () => `gone: ${alive()}`,
  )
  expect(took).toBeLessThanOrEqual(BUDGET + NOISE)
}

forEachRuntime((runtime) => {
  guardEachTest()

  it.each(['terminate', 'close', 'exit', 'throw'])('a worker that ends by %s', async (how) => {
    const { host, main, first, second } = await startWorkers(runtime)

    host.say(how)
    await host.event('gone-worker-0')

    await expectGone([first])
    // Longer than any stop of theirs would take.
    expect(await staysTheSame(() => [...main.alive(), ...second.alive()].length, BUDGET + 200)).toBe(true)
    expect([main.alive().sort(), second.alive().sort()]).toEqual([WHOLE, WHOLE])
    host.say('again')
    expect(await host.event('again')).toMatchObject({ code: 5 })
  })

  it.each(['SIGKILL', 'empty loop'])('a host with workers that ends by %s', async (how) => {
    const { host, main, first, second } = await startWorkers(runtime)

    if (how === 'SIGKILL') host.kill('SIGKILL')
    else {
      host.say('leave')
      await host.event('leaving')
      // Its input is the last that holds it.
      expect(await host.close()).toMatchObject({ code: 0 })
    }
    await within(host.ended, 5000, `the host ends by ${how}`)

    await expectGone([main, first, second])
  })
})
