// Moving a tree on purpose.

import { expect, it } from 'vitest'
import { useOwnerHost } from '../support/owners.js'
import { identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('moves it: the new owner lists, stops and releases it, the old one no more', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const from = procleash.createOwner('from')
      const to = procleash.createOwner('to')
      Object.assign(extras.owners, { from, to })
      const command = await from.spawn('sleep', ['60'], { kind: 'subagent' })
      const moved = procleash.transfer(command, to)
      return {
        moved,
        pid: command.pid,
        lists: [(await from.list()).length, (await to.list()).map(({ owner }) => owner.join())],
        unfinished: [from.unfinished(), to.unfinished()],
        codes: [
          await extras.codeOf(() => from.get(command.id)),
          await extras.codeOf(() => to.get(command.id)),
        ],
        stopped: await from.stop(),
      }
    }, null)
    expect(told).toMatchObject({
      moved: true,
      lists: [0, ['to']],
      unfinished: [false, true],
      codes: ['UnknownTreeError ERR_PROCLEASH_UNKNOWN_TREE', 'no error'],
      stopped: [],
    })
    const id = identify(told.pid)
    await host().evaluate(() => extras.owners.from!.release(), null)
    expect(isAlive(id)).toBe(true)
    const release = await host().evaluate(() => extras.owners.to!.release(), null)
    expect(isAlive(id)).toBe(false)
    expect(release.trees).toEqual([expect.objectContaining({ owner: ['to'], pid: told.pid })])
  })

  it('gives an owner to a tree that had none', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const command = await procleash.spawn('sleep', ['60'])
      const owner = procleash.createOwner('adopting')
      const moved = procleash.transfer(command, owner)
      const release = await owner.release()
      return { moved, trees: release.trees.length, reason: (await command.settled).reason }
    }, null)
    expect(told).toEqual({ moved: true, trees: 1, reason: 'owner-released' })
  })

  it('is refused into and out of a released owner, and leaves the tree where it is', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const released = procleash.createOwner('gone')
      await released.release()
      const owner = procleash.createOwner('stays')
      const command = await owner.spawn('sleep', ['60'])
      const into = await extras.codeOf(() => procleash.transfer(command, released))
      const listed = (await owner.list()).length
      const other = procleash.createOwner('other')
      const release = owner.release()
      const out = await extras.codeOf(() => procleash.transfer(command, other))
      await release
      return { into, listed, out, left: (await other.release()).trees }
    }, null)
    expect(told).toEqual({
      into: 'OwnerReleasedError ERR_PROCLEASH_OWNER_RELEASED',
      listed: 1,
      out: 'OwnerReleasedError ERR_PROCLEASH_OWNER_RELEASED',
      left: [],
    })
  })

  it('says no when nothing of the tree is left', async () => {
    const moved = await host().evaluate(async ({ procleash }) => {
      const owner = procleash.createOwner('too late')
      const command = await procleash.spawn('true')
      await command.settled
      const answer = procleash.transfer(command, owner)
      await owner.release()
      return answer
    }, null)
    expect(moved).toBe(false)
  })
})
