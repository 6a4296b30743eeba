// Beside tree-kill: what it needs, what it leaves. It runs in the test, as it would in a host. How long both take:
// bench/compare/tree-kill.mjs.

import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { ample, expectObeyed, expectUnseen, stopForeign } from '../support/foreign.js'
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

  it('stopTree leaves none of them, nor any of an obedient tree of 100', async () => {
    const trees = ['obedient-leader.sh', 'orphans.sh'].map((program) => plantTree(program))
    for (const tree of trees) {
      expectUnseen(await stopForeign(host(), await naiveSpawn(host(), tree, { detached: true })))
      expect(tree.alive()).toEqual([])
    }
    const crowd = await naiveSpawn(host(), plantTree('crowd.py', '100', 'obedient'), { detached: true })
    const settlement = await stopForeign(host(), crowd, ample)
    expectObeyed(settlement)
    expect(settlement.endedCount).toBe(100)
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
