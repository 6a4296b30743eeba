// Kinds: what counts as unfinished work, and stops that touch one kind only.

import { expect, it } from 'vitest'
import { useOwnerHost } from '../support/owners.js'
import { identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('a dev server is no unfinished work; a subagent, a workflow and unknown work are', async () => {
    const answers = await host().evaluate(async ({ procleash }) => {
      const told: Record<string, boolean> = {}
      for (const kind of ['bash', 'subagent', 'workflow', 'reindexing', undefined]) {
        const owner = procleash.createOwner(`kind of ${kind}`)
        await owner.child('turn').spawn('sleep', ['60'], { kind })
        told[String(kind)] = owner.unfinished()
        await owner.release()
        told.released = owner.unfinished()
      }
      return told
    }, null)
    expect(answers).toEqual({
      bash: false,
      subagent: true,
      workflow: true,
      reindexing: true,
      undefined: true,
      released: false,
    })
  })

  it('stops being unfinished when the work has ended', async () => {
    const answers = await host().evaluate(async ({ procleash }) => {
      const owner = procleash.createOwner('finishing')
      const before = owner.unfinished()
      const command = await owner.spawn('sleep', ['60'], { kind: 'subagent' })
      const during = owner.unfinished()
      await command.stop()
      return { before, during, after: owner.unfinished(), end: (await owner.release()).trees.length }
    }, null)
    expect(answers).toEqual({ before: false, during: true, after: false, end: 0 })
  })

  it('takes words of your own, which owners below inherit and may change', async () => {
    const answers = await host().evaluate(async ({ procleash }) => {
      const session = procleash.createOwner('words', {
        kinds: { watcher: { unfinished: false }, bash: { unfinished: true } },
      })
      const turn = session.child('turn')
      const call = turn.child('call', { kinds: { watcher: { unfinished: true } } })
      const told: boolean[] = []
      for (const [owner, kind] of [
        [session, 'watcher'],
        [turn, 'watcher'],
        [call, 'watcher'],
        [turn, 'bash'],
        [turn, 'subagent'],
      ] as const) {
        const command = await owner.spawn('sleep', ['60'], { kind })
        told.push(session.unfinished())
        await command.stop()
      }
      await session.release()
      return told
    }, null)
    expect(answers).toEqual([false, false, true, true, true])
  })

  it('a stop of one kind never touches another, here or below', async () => {
    const pids = await host().evaluate(async ({ procleash }) => {
      const session = procleash.createOwner('mixed')
      const turn = session.child('turn')
      extras.owners.mixed = session
      const started = await Promise.all([
        session.spawn('sleep', ['60'], { kind: 'bash' }),
        session.spawn('sleep', ['60'], { kind: 'subagent' }),
        turn.spawn('sleep', ['60'], { kind: 'bash' }),
        turn.spawn('sleep', ['60'], { kind: 'workflow' }),
        turn.spawn('sleep', ['60']),
      ])
      return started.map(({ pid }) => pid)
    }, null)
    const ids = pids.map(identify)

    const here = await host().evaluate(
      () => extras.owners.mixed!.stop({ kind: 'bash', recursive: false, reason: 'only here' }),
      null,
    )
    expect(here).toEqual([expect.objectContaining({ outcome: 'empty', reason: 'stop' })])
    expect(ids.map(isAlive)).toEqual([false, true, true, true, true])

    const below = await host().evaluate(() => extras.owners.mixed!.stop({ kind: 'bash' }), null)
    expect(below).toEqual([expect.objectContaining({ outcome: 'empty', reason: 'stop' })])
    expect(ids.map(isAlive)).toEqual([false, true, false, true, true])

    expect(await host().evaluate(() => extras.owners.mixed!.stop({ kind: 'nothing' }), null)).toEqual([])
    expect(await host().evaluate(() => extras.owners.mixed!.stop(), null)).toHaveLength(3)
    expect(ids.map(isAlive)).toEqual(Array(5).fill(false))
    await host().evaluate(() => extras.owners.mixed!.release(), null)
  })
})
