// An adopted tree belongs to an owner as a spawned one does.

import { expect, it } from 'vitest'
import { adoptChild, adoptTree, startChild } from '../support/adopt.js'
import { useHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'

type Owner = import('../../src/index.js').Owner

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('is listed with its kind and label, found by its id, and stopped by its kind', async () => {
    const tree = plantTree('shell-and-child.sh')
    const about = { owner: 'listed', kind: 'bash', label: 'a shell', budget: 15_000 } as const
    const command = await adoptTree(host(), 'child_process', tree, about)

    const told = await host().evaluate(async ({ kept }, kind) => {
      const owner = kept.listed as Owner
      const [entry] = await owner.list()
      const { pid } = owner.get(entry!.id)
      const unfinished = owner.unfinished()
      const others = await owner.stop({ kind: 'subagent' })
      return {
        entry,
        pid,
        unfinished,
        others,
        stopped: await owner.stop({ kind }),
        after: await owner.list(),
      }
    }, 'bash')

    expect(told).toMatchObject({
      entry: {
        pid: command.pid,
        kind: 'bash',
        label: 'a shell',
        owner: ['listed'],
        state: 'running',
        cwd: '',
      },
      pid: command.pid,
      unfinished: false,
      others: [],
      stopped: [{ outcome: 'empty', reason: 'stop', proof: 'snapshot' }],
      after: [],
    })
    expect(told.entry!.argv.slice(1)).toEqual(tree.args)
    expect(tree.alive()).toEqual([])
  })

  it('goes with the release of its owner, and a released owner takes none', async () => {
    const tree = plantTree('deaf-family.sh')
    await adoptTree(host(), 'child_process', tree, { owner: 'released' })

    const release = await host().evaluate(
      ({ kept }) => (kept.released as Owner).release({ budget: 400 }),
      null,
    )

    expect(release).toMatchObject({ outcome: 'empty', trees: [{ settlement: { reason: 'owner-released' } }] })
    expect(tree.alive()).toEqual([])
    const pid = await startChild(host(), 'child_process', ['sleep', '60'])
    await expect(adoptChild(host(), { owner: 'released' })).rejects.toMatchObject({
      code: 'ERR_PROCLEASH_OWNER_RELEASED',
    })
    // It is as it was, and can be adopted by another.
    const command = await adoptChild(host(), { owner: 'other' })
    expect(command.pid).toBe(pid)
    expect(await command.stop()).toMatchObject({ outcome: 'empty' })
  })

  it('can be transferred, and tells of its life on diagnostics_channel', async () => {
    const told = await host().evaluate(async ({ procleash, childProcess, process }) => {
      const { subscribe } = process.getBuiltinModule('node:diagnostics_channel')
      const seen: string[] = []
      for (const name of ['spawn', 'exit', 'stop', 'settle'])
        subscribe(`procleash:${name}`, (event) => {
          const { owner, kind } = event as { owner: readonly string[]; kind: string }
          seen.push(`${name} ${owner.join()} ${kind}`)
        })
      const [one, two] = [procleash.createOwner('one'), procleash.createOwner('two')]
      const child = childProcess.spawn('sleep', ['60'])
      const command = await procleash.adopt(child, { owner: one, kind: 'server' })
      const moved = procleash.transfer(command, two)
      const counts = [(await one.list()).length, (await two.list()).length]
      await two.release()
      await command.exited
      return { moved, counts, seen: seen.sort() }
    }, null)
    expect(told).toEqual({
      moved: true,
      counts: [0, 1],
      seen: ['exit two server', 'settle two server', 'spawn one server', 'stop two server'],
    })
  })
})
