// The lease of an adopted tree: whatever dies beside it, nothing of it is left, and a living host is told.

import { expect, it } from 'vitest'
import { adoptTree, childExit, startChild, startersOf } from '../support/adopt.js'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { helpersOf } from '../support/helpers.js'
import { type Host, startHost } from '../support/host.js'
import { endProcess, isAlive } from '../support/proc.js'
import type { RemoteCommand } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

async function expectGone(tree: Tree): Promise<void> {
  await waitUntil(
    () => tree.alive().length === 0,
    10_000,
    () => `gone: ${tree.alive()}`,
  )
}

interface Adopted {
  readonly host: Host
  readonly tree: Tree
  readonly command: RemoteCommand
}

forEachRuntime((runtime) => {
  guardEachTest()

  /** Deaf to SIGTERM, half of it in another session. */
  async function adopted(starter = startersOf(runtime).at(-1)!): Promise<Adopted> {
    const host = await startHost(runtime)
    const tree = plantTree('deaf-family.sh')
    const command = await adoptTree(host, starter, tree)
    return { host, tree, command }
  }

  it.each(startersOf(runtime))('%s: the host is killed', async (starter) => {
    const { host, tree } = await adopted(starter)
    host.kill('SIGKILL')
    await expectGone(tree)
  })

  it.each(['exit', 'throw'] as const)('the host ends: %s', async (how) => {
    const { host, tree } = await adopted()
    await host.request('end', { how })
    await host.ended
    await expectGone(tree)
  })

  it('the watcher is killed: the tree is gone, and the host is told', async () => {
    const { host, tree, command } = await adopted()
    endProcess(helpersOf(host).watchers[0]!)
    expect(await command.settled()).toMatchObject({ reason: 'supervisor-lost' })
    await expectGone(tree)
    expect(await childExit(host)).toEqual({ code: null, signal: 'SIGKILL' })
  })

  it('the supervisor is killed: the watcher goes on, and stops the tree when the host is killed as well', async () => {
    const { host, tree, command } = await adopted()
    const { supervisor } = helpersOf(host)
    endProcess(supervisor)
    await waitUntil(() => !isAlive(supervisor), 10_000, 'the supervisor is gone')
    expect((await command.processes()).map(({ pid }) => pid)).toContain(command.pid)
    host.kill('SIGKILL')
    await expectGone(tree)
  })

  it('watcher and supervisor are killed together: the host stops the tree', async () => {
    const { host, tree, command } = await adopted()
    const { supervisor, watchers } = helpersOf(host)
    for (const id of [...watchers, supervisor]) endProcess(id)
    expect(await command.settled()).toMatchObject({ reason: 'supervisor-lost' })
    await expectGone(tree)
  })

  it.each(['watcher', 'supervisor'] as const)('host and %s are killed together', async (part) => {
    const { host, tree } = await adopted()
    const { supervisor, watchers } = helpersOf(host)
    // Stopped first, so that neither can act on the other's end.
    process.kill(host.pid, 'SIGSTOP')
    endProcess(part === 'watcher' ? watchers[0]! : supervisor)
    host.kill('SIGKILL')
    await expectGone(tree)
  })

  it('adoptions live side by side with commands; one lost watcher is nothing to the others', async () => {
    const { host, tree, command } = await adopted()
    const other = plantTree('generations.sh')
    const spawned = await host.plant(other)
    endProcess(helpersOf(host).watchers[0]!)
    expect(await command.settled()).toMatchObject({ reason: 'supervisor-lost' })
    await expectGone(tree)
    expect(other.alive()).toHaveLength(4)
    expect(await spawned.stop({ budget: 0 })).toMatchObject({ outcome: 'empty', proof: 'subreaper' })
  })

  it('control: without adopt() the child outlives its host', async () => {
    const host = await startHost(runtime)
    const tree = plantTree('deaf-family.sh')
    await startChild(host, startersOf(runtime).at(-1)!, [tree.file, ...tree.args], { env: tree.env })
    await tree.ready()
    host.kill('SIGKILL')
    await host.ended
    const alive = tree.alive().sort()
    expect(isAlive(tree.process('shell'))).toBe(true)
    await endLeftProcesses()
    expect(alive).toEqual(['child', 'session', 'shell'])
  })
})
