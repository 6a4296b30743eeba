// Beside tree-kill: what it starts, what it leaves, how long it takes. It runs in the test, as it would in a host.

import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { expectUnseen, stopForeign } from '../support/foreign.js'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { startHost, useHost } from '../support/host.js'
import { naiveSpawn } from '../support/naive.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds, limitProcess } from '../support/tools.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

const treeKill = createRequire(import.meta.url)('tree-kill') as (
  pid: number,
  signal: string,
  done: (error?: Error) => void,
) => void

const NOBODY = 65534

const killTree = (pid: number): Promise<void> =>
  new Promise((resolve, reject) => treeKill(pid, 'SIGTERM', (error) => (error ? reject(error) : resolve())))

const areGone = (tree: Tree, deadline: number) =>
  waitUntil(
    () => tree.alive().length === 0,
    deadline,
    () => `gone: ${tree.alive()}`,
  )

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('control: tree-kill leaves who is deaf, and orphans of the same group', async () => {
    const deaf = plantTree('obedient-leader.sh')
    await killTree(await naiveSpawn(host(), deaf, { detached: true }))
    const orphans = plantTree('orphans.sh')
    await killTree(await naiveSpawn(host(), orphans, { detached: true }))

    await expect(areGone(deaf, 700)).rejects.toThrow('gone: stubborn')
    expect(orphans.alive().sort()).toEqual(['below-session', 'own-group', 'same-group'])
    await endLeftProcesses()
  })

  it('on an obedient tree of 100: all gone, at least 20 times faster', async () => {
    const plant = () => naiveSpawn(host(), plantTree('crowd.py', '100', 'obedient'), { detached: true })
    // The best of three each: the others tell of the machine.
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const settlement = await stopForeign(host(), await plant(), { budget: 2000 })
      expectUnseen(settlement)
      expect(settlement).toMatchObject({ endedCount: 100, escalated: false })
      ours.push(settlement.elapsed)

      const pid = await plant()
      const began = performance.now()
      await killTree(pid)
      theirs.push(performance.now() - began)
      await endLeftProcesses()
    }
    expect(Math.min(...theirs) / Math.min(...ours)).toBeGreaterThan(20)
  })
})

forEachRuntime((runtime) => {
  guardEachTest()

  // Deno itself doesn't live on without new threads.
  const others = runtime.name === 'deno' ? (['another-runtime'] as const) : []
  itNeeds(
    ['root', 'setpriv', 'prlimit', ...others],
    'works where no process can be started any more',
    async () => {
      const host = await startHost(runtime, { user: NOBODY })
      const tree = plantTree('own-session.sh')
      const pid = await naiveSpawn(host, tree, { detached: true })
      // The thread that does the work is there from the first call on.
      await host.evaluate(({ procleash }, root) => procleash.inspectTree(root), pid)
      limitProcess(host.pid, ['--nproc=1'], NOBODY)
      const refused = await host.evaluate(async ({ childProcess }) => {
        try {
          const child = childProcess.spawn('ps', [], { stdio: 'ignore' })
          return await new Promise<string>((resolve) => {
            child.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
            child.on('exit', (code) => resolve(`ran: ${code}`))
          })
        } catch (error) {
          return (error as NodeJS.ErrnoException).code ?? String(error)
        }
      }, null)
      expect(refused).toMatch(/EAGAIN|Resource temporarily|os error 11/)

      expectUnseen(await stopForeign(host, pid))

      expect(tree.alive()).toEqual([])
    },
  )
})
