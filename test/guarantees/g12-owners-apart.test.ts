// G12: an owner can list, signal and stop only its own trees and those of its descendants.

import { expect, it } from 'vitest'
import { useOwnerHost } from '../support/owners.js'
import { identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'

/** alice > turn, and bob: pids of one tree each, by the path of the owner. */
async function plantOwners(
  host: ReturnType<ReturnType<typeof useOwnerHost>>,
): Promise<Record<string, number>> {
  return host.evaluate(async ({ procleash }) => {
    const alice = procleash.createOwner('alice')
    const turn = alice.child('turn')
    const bob = procleash.createOwner('bob')
    Object.assign(extras.owners, { alice, turn, bob })
    const pids: Record<string, number> = {}
    for (const [name, owner] of Object.entries({ alice, turn, bob })) {
      const command = await owner.spawn('sleep', ['60'], { kind: 'bash', log: `${name}.log` })
      extras.commands[name] = command
      pids[name] = command.pid
    }
    return pids
  }, null)
}

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('sees nothing of others: not in lists, not by id, not by a tool, with one and the same answer', async () => {
    await plantOwners(host())
    const told = await host().evaluate(async () => {
      const { alice, turn, bob } = extras.owners
      const { commands } = extras
      const seen: Record<string, string[]> = {}
      const answers: Record<string, string> = {}
      for (const [name, owner] of Object.entries({ alice: alice!, turn: turn!, bob: bob! })) {
        const tools = extras.processTools(owner)
        const byId = (await owner.list()).map(({ id }) => id)
        const byTool = (await tools.process_list.execute({})).processes.map(({ id }) => id)
        const nameOf = (id: string) =>
          Object.entries(commands).find(([, { id: other }]) => other === id)?.[0] ?? '?'
        seen[name] = byId.map(nameOf).sort()
        seen[`${name} by tool`] = byTool.map(nameOf).sort()
        for (const [other, { id }] of Object.entries(commands)) {
          if (!['alice', 'turn', 'bob'].includes(other) || seen[name].includes(other)) continue
          const messages: string[] = []
          for (const call of [
            () => owner.get(id),
            () => tools.process_output.execute({ id }),
            () => tools.process_kill.execute({ id }),
            () => tools.process_kill.execute({ id, signal: 'SIGKILL' }),
            () => tools.process_kill.execute({ id: 'no-such-id' }),
          ]) {
            try {
              await call()
              messages.push('no error')
            } catch (error) {
              // An id in the message is what was asked for.
              messages.push((error as Error).message.replace(id, 'ID').replace('no-such-id', 'ID'))
            }
          }
          answers[`${name} of ${other}`] = [...new Set(messages)].join(' | ')
        }
      }
      return { seen, answers }
    }, null)
    expect(told.seen).toEqual({
      alice: ['alice', 'turn'],
      'alice by tool': ['alice', 'turn'],
      turn: ['turn'],
      'turn by tool': ['turn'],
      bob: ['bob'],
      'bob by tool': ['bob'],
    })
    const unknown = (owner: string) =>
      `Owner ${owner} has no tree ID. Take an id from list(); a tree that has ended is not listed any more` +
      ' | There is no process ID. Take an id from process_list'
    expect(told.answers).toEqual({
      'alice of bob': unknown('alice'),
      'turn of alice': unknown('alice > turn'),
      'turn of bob': unknown('alice > turn'),
      'bob of alice': unknown('bob'),
      'bob of turn': unknown('bob'),
    })
    await host().evaluate(
      () => Promise.all([extras.owners.alice!.release(), extras.owners.bob!.release()]),
      null,
    )
  })

  it('stops and releases nothing of others, not those above it either', async () => {
    const pids = await plantOwners(host())
    const ids = Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, identify(pid)]))
    const alive = () => Object.keys(ids).filter((name) => isAlive(ids[name]!))

    await host().evaluate(() => extras.owners.turn!.stop(), null)
    expect(alive()).toEqual(['alice', 'bob'])
    await host().evaluate(() => extras.owners.bob!.release(), null)
    expect(alive()).toEqual(['alice'])
    await host().evaluate(() => extras.owners.turn!.release(), null)
    expect(alive()).toEqual(['alice'])
    await host().evaluate(() => extras.owners.alice!.release(), null)
    expect(alive()).toEqual([])
  })

  it('control: whoever has no owner is stopped by none', async () => {
    const pid = await host().evaluate(async ({ procleash }) => {
      const command = await procleash.spawn('sleep', ['60'])
      extras.commands.free = command
      return command.pid
    }, null)
    const id = identify(pid)
    await plantOwners(host())
    await host().evaluate(
      () => Promise.all([extras.owners.alice!.release(), extras.owners.bob!.release()]),
      null,
    )
    expect(isAlive(id)).toBe(true)
    await host().evaluate(() => extras.commands.free!.stop(), null)
    expect(isAlive(id)).toBe(false)
  })
})
