// What docs/coming-from-execa.md says: execa's subprocess is adopted, and what its own ends leave behind.

import { expect, it } from 'vitest'
import { endLeftProcesses } from '../support/guard.js'
import { useOwnerHost, withPackages } from '../support/owners.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'

type Execa = typeof import('execa')

forEachRuntime((runtime) => {
  const host = useOwnerHost(withPackages(runtime))

  it("execa's subprocess is adopted, and its result stays its own", async () => {
    const tree = plantTree('own-session.sh')
    await host().evaluate(
      async ({ kept, process }, { file, args, env }) => {
        const { execa } = await extras.load<Execa>('execa')
        const options = { env: { ...process.env, ...env }, reject: false }
        kept.subprocess = { it: execa(file, args, options) }
      },
      { file: tree.file, args: tree.args, env: tree.env },
    )
    await tree.ready()

    const told = await host().evaluate(async ({ procleash, kept }) => {
      const { it: subprocess } = kept.subprocess as { it: ReturnType<Execa['execa']> }
      const command = await procleash.adopt(subprocess, { budget: 15_000 })
      const [settlement, result] = await Promise.all([command.stop(), subprocess])
      const { signal, isTerminated } = result
      return { settlement, signal, isTerminated, exited: await command.exited }
    }, null)

    expect(told).toMatchObject({
      settlement: { outcome: 'empty', reason: 'stop', proof: 'snapshot', escalated: false },
      signal: 'SIGTERM',
      isTerminated: true,
      exited: { code: null, signal: 'SIGTERM' },
    })
    expect(tree.alive()).toEqual([])
  })

  it("beside each other: a timeout leaves execa's server running, and not run()'s", async () => {
    const trees = { execa: plantTree('shell-and-child.sh'), run: plantTree('shell-and-child.sh') }
    const results = await host().evaluate(
      async ({ procleash, process }, { execa: theirs, run: ours }) => {
        const { execa } = await extras.load<Execa>('execa')
        const env = (tree: typeof ours) => ({ ...process.env, ...tree.env }) as Record<string, string>
        // Long enough for the shape to stand. No output, or execa would wait for whoever holds it.
        const [left, right] = await Promise.all([
          execa(theirs.file, theirs.args, {
            env: env(theirs),
            timeout: 1500,
            reject: false,
            stdio: 'ignore',
          }),
          procleash.run(ours.file, ours.args, { env: env(ours), timeout: 1500 }),
        ])
        return [left.timedOut, right.reason, right.settlement?.outcome]
      },
      {
        execa: { file: trees.execa.file, args: trees.execa.args, env: trees.execa.env },
        run: { file: trees.run.file, args: trees.run.args, env: trees.run.env },
      },
    )
    await Promise.all([trees.execa.ready(), trees.run.ready()])
    const alive = [trees.execa.alive(), trees.run.alive()]
    await endLeftProcesses()
    expect(results).toEqual([true, 'timeout', 'empty'])
    expect(alive).toEqual([['child'], []])
  })

  it('beside each other: a background job holds up execa, and not run()', async () => {
    const order = await host().evaluate(async ({ procleash }) => {
      const { execa } = await extras.load<Execa>('execa')
      const script = 'sleep 3 & echo hi'
      const order: string[] = []
      const theirs = execa('sh', ['-c', script]).then(({ stdout }) => order.push(`execa ${stdout}`))
      const ours = procleash
        .run('sh', ['-c', script])
        .then(({ stdout }) => order.push(`run ${stdout.trim()}`))
      await Promise.all([theirs, ours])
      return order
    }, null)
    expect(order).toEqual(['run hi', 'execa hi'])
  })
})
