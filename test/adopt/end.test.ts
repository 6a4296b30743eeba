// An adopted tree that ends without a stop: what the child leaves, and what is told.

import { expect, it } from 'vitest'
import { adoptChild, adoptTree, startChild, startersOf } from '../support/adopt.js'
import { useHost } from '../support/host.js'
import { isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { staysTheSame, waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it.each(startersOf(runtime))('%s: a child that leaves nothing', async (starter) => {
    const tree = plantTree('on-word.sh', 'nothing')
    const command = await adoptTree(host(), starter, tree)

    tree.say('go')

    expect(await command.exited()).toEqual({ code: 3, signal: null })
    expect(await command.settled()).toMatchObject({
      outcome: 'empty',
      reason: 'exit',
      proof: 'snapshot',
      escalated: false,
    })
  })

  it('what it leaves is stopped', async () => {
    const tree = plantTree('on-word.sh', 'server')
    const command = await adoptTree(host(), 'child_process', tree, { budget: 15_000 })

    tree.say('go')

    expect(await command.exited()).toEqual({ code: 3, signal: null })
    expect(await command.settled()).toMatchObject({ outcome: 'empty', reason: 'exit', escalated: false })
    expect(tree.alive()).toEqual([])
  })

  it("leftovers: 'keep' keeps it until it is stopped", async () => {
    const tree = plantTree('on-word.sh', 'server')
    const command = await adoptTree(host(), 'child_process', tree, { leftovers: 'keep', budget: 15_000 })

    tree.say('go')

    await command.exited()
    expect(await staysTheSame(() => tree.alive().join(), 300)).toBe(true)
    expect(tree.alive()).toEqual(['server'])
    expect((await command.processes()).map(({ pid }) => pid)).toEqual([tree.process('server').pid])
    expect(await command.stop()).toMatchObject({ outcome: 'empty', reason: 'stop' })
    expect(tree.alive()).toEqual([])
  })

  it("leftovers: 'keep' settles when the last of it has ended", async () => {
    const tree = plantTree('on-word.sh', 'server')
    const command = await adoptTree(host(), 'child_process', tree, { leftovers: 'keep' })
    tree.say('go')
    await command.exited()

    process.kill(tree.process('server').pid, 'SIGKILL')

    expect(await command.settled()).toMatchObject({ outcome: 'empty', reason: 'exit', proof: 'snapshot' })
  })

  it('a child that is killed from elsewhere leaves nothing either', async () => {
    const tree = plantTree('own-session.sh')
    const command = await adoptTree(host(), 'child_process', tree, { budget: 15_000 })

    process.kill(command.pid, 'SIGKILL')

    expect(await command.exited()).toEqual({ code: null, signal: 'SIGKILL' })
    expect(await command.settled()).toMatchObject({ outcome: 'empty', reason: 'exit' })
    expect(tree.alive()).toEqual([])
  })

  it('it keeps the event loop alive until it has settled, unless unref() is called', async () => {
    await startChild(host(), 'child_process', ['sleep', '60'])
    const command = await adoptChild(host())
    await host().evaluate(({ kept, commands }, handle) => {
      const child = kept.child as import('node:child_process').ChildProcess
      child.unref()
      commands.get(handle)!.command.unref()
    }, command.handle)
    const child = command.id()
    await host().letGo()

    expect(await host().ended).toEqual({ code: 0, signal: null })
    await waitUntil(() => !isAlive(child), 10_000, 'the child is gone with the host')
  })
})
