// What docs/coming-from-execa.md says: execa's subprocess is adopted, and what its own ends leave behind.

import { describe, expect, it } from 'vitest'
import { endLeftProcesses } from '../support/guard.js'
import { useOwnerHost, withPackages } from '../support/owners.js'
import { chosenRuntimes, forEachRuntime } from '../support/runtimes.js'
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
})

// One runtime will do: what is shown is execa's, and the same in all.
describe('beside each other', () => {
  const [runtime] = chosenRuntimes()
  const host = useOwnerHost(withPackages(runtime!))

  it("execa's kill() leaves the server of a shell running, and our stop() does not", async () => {
    const [theirs, ours] = [plantTree('shell-and-child.sh'), plantTree('shell-and-child.sh')]
    await host().evaluate(
      async ({ procleash, process, kept }, trees) => {
        const { execa } = await extras.load<Execa>('execa')
        const [theirs, ours] = trees.map(({ file, args, env }) => {
          const whole = { ...process.env, ...env } as Record<string, string>
          return { file, args, env: whole }
        })
        // Without output, or execa would wait for whoever holds it.
        const { file, args, env } = theirs!
        kept.theirs = { it: execa(file, args, { env, reject: false, stdio: 'ignore' }) }
        kept.ours = { it: await procleash.spawn(ours!.file, ours!.args, { env: ours!.env }) }
      },
      [theirs, ours].map(({ file, args, env }) => ({ file, args, env })),
    )
    await Promise.all([theirs.ready(), ours.ready()])

    const ends = await host().evaluate(async ({ kept }) => {
      const { it: subprocess } = kept.theirs as { it: ReturnType<Execa['execa']> }
      const { it: command } = kept.ours as { it: import('../../src/types.js').Subprocess }
      subprocess.kill()
      const [result, settlement] = await Promise.all([subprocess, command.stop({ budget: 15_000 })])
      return [result.isTerminated, settlement.outcome]
    }, null)

    const alive = [theirs.alive(), ours.alive()]
    await endLeftProcesses()
    expect(ends).toEqual([true, 'empty'])
    expect(alive).toEqual([['child'], []])
  })

  it('a background job that holds the output holds up execa, and not run()', async () => {
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
