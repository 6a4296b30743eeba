// Releasing an owner: everything below it, within one budget, and nothing new from the call on.

import { expect, it } from 'vitest'
import { portable, useOwnerHost } from '../support/owners.js'
import { descendantsOf, identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('stops every tree of every owner below it, and says whose each was', async () => {
    const trees = [plantTree('shell-and-child.sh'), plantTree('deaf-shell.sh'), plantTree('own-session.sh')]
    const started = host().evaluate(async ({ procleash }, [forSession, forTurn, forCall]) => {
      const session = procleash.createOwner('session')
      const turn = session.child('turn')
      const call = turn.child('call')
      extras.owners.session = session
      const commands = await Promise.all([
        extras.plant(session, forSession!, { kind: 'bash' }),
        extras.plant(turn, forTurn!, { kind: 'workflow', label: 'deaf' }),
        extras.plant(call, forCall!),
      ])
      return commands.map(({ id }) => id)
    }, trees.map(portable))
    const ids = await started
    await Promise.all(trees.map((tree) => tree.ready()))

    const release = await host().evaluate(() => extras.owners.session!.release({ budget: 700 }), null)

    expect(trees.flatMap((tree) => tree.alive())).toEqual([])
    expect(release).toMatchObject({ owner: ['session'], outcome: 'empty' })
    const settlement = expect.objectContaining({ outcome: 'empty', reason: 'owner-released' })
    expect(release.trees.map(({ id }) => id).sort()).toEqual([...ids].sort())
    expect(release.trees).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: ids[0], owner: ['session'], kind: 'bash', label: null, settlement }),
        expect.objectContaining({
          id: ids[1],
          owner: ['session', 'turn'],
          kind: 'workflow',
          label: 'deaf',
          settlement,
        }),
        expect.objectContaining({ id: ids[2], owner: ['session', 'turn', 'call'], kind: null, settlement }),
      ]),
    )
    // The deaf one needs its whole budget, which is that of the release.
    const deaf = release.trees.find(({ label }) => label === 'deaf')
    expect(deaf?.settlement.escalated).toBe(true)
    expect(release.elapsed).toBeGreaterThan(500)
    expect(release.elapsed).toBeLessThan(1200)
  })

  it('refuses everything new from the call on, and stops what is just being started', async () => {
    const before = descendantsOf(host().pid).filter(({ comm }) => comm === 'sleep')
    const told = await host().evaluate(async ({ procleash }) => {
      const session = procleash.createOwner('closing')
      const turn = session.child('turn')
      const starting = [session.spawn('sleep', ['61']), turn.spawn('sleep', ['61'])]
      const running = turn.run('sleep', ['61'])
      const release = session.release({ reason: 'closed by the test' })
      const codes = await Promise.all([
        extras.codeOf(() => starting[0]),
        extras.codeOf(() => starting[1]),
        extras.codeOf(() => session.spawn('sleep', ['61'])),
        extras.codeOf(() => turn.spawn('sleep', ['61'])),
        extras.codeOf(() => turn.run('sleep', ['61'])),
        extras.codeOf(() => procleash.spawn('sleep', ['61'], { owner: turn })),
        extras.codeOf(() => session.child('late')),
      ])
      return {
        codes,
        flags: [session.released, turn.released],
        ran: (await running).reason,
        release: await release,
      }
    }, null)
    expect(told.codes).toEqual(Array(7).fill('OwnerReleasedError ERR_PROCLEASH_OWNER_RELEASED'))
    expect(told.flags).toEqual([true, true])
    expect(told.ran).toBe('owner-released')
    expect(told.release.outcome).toBe('empty')
    expect(told.release.trees).toHaveLength(3)
    expect(descendantsOf(host().pid).filter(({ comm }) => comm === 'sleep')).toEqual(before)
  })

  it('joins a running release; a shorter budget shortens it, and so does the release of the parent', async () => {
    const tree = plantTree('deaf-shell.sh')
    await host().evaluate(async ({ procleash }, planted) => {
      const session = procleash.createOwner('joined')
      extras.owners.joined = session
      await extras.plant(session.child('turn'), planted)
    }, portable(tree))
    await tree.ready()

    const told = await host().evaluate(async () => {
      const session = extras.owners.joined!
      const began = performance.now()
      const long = session.release({ budget: 30_000 })
      const short = session.release({ budget: 300 })
      const first = await long
      const same = JSON.stringify(first) === JSON.stringify(await short)
      const again = JSON.stringify(first) === JSON.stringify(await session.release())
      return { same, again, first, elapsed: performance.now() - began }
    }, null)

    expect(tree.alive()).toEqual([])
    expect(told).toMatchObject({ same: true, again: true })
    expect(told.first.trees).toHaveLength(1)
    expect(told.elapsed).toBeLessThan(900)
  })

  it('gives a release of an owner below the same end', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const session = procleash.createOwner('above')
      const turn = session.child('turn')
      await Promise.all([session.spawn('sleep', ['60']), turn.spawn('sleep', ['60'])])
      const whole = session.release()
      const part = await turn.release()
      return { whole: await whole, part }
    }, null)
    expect(told.whole.trees).toHaveLength(2)
    expect(told.part).toMatchObject({ owner: ['above', 'turn'], outcome: 'empty' })
    expect(told.part.trees).toHaveLength(1)
  })

  it('has 3 s by default, which an owner hands down', async () => {
    const trees = [plantTree('deaf-shell.sh'), plantTree('deaf-shell.sh')]
    await host().evaluate(async ({ procleash }, [forDefault, forTurn]) => {
      extras.owners.three = procleash.createOwner('three')
      extras.owners.short = procleash.createOwner('short', { budget: 300 })
      await extras.plant(extras.owners.three, forDefault!)
      await extras.plant(extras.owners.short.child('turn'), forTurn!)
    }, trees.map(portable))
    await Promise.all(trees.map((tree) => tree.ready()))
    const [three, short] = await host().evaluate(async () => {
      const turn = extras.owners.short!
      return Promise.all([extras.owners.three!.release(), turn.release()])
    }, null)
    expect(trees.flatMap((tree) => tree.alive())).toEqual([])
    expect(three!.elapsed).toBeGreaterThan(2500)
    expect(three!.elapsed).toBeLessThan(3500)
    expect(short!.elapsed).toBeLessThan(800)
  })

  it('does not wait where nothing is left, and frees the id', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const first = procleash.createOwner('again')
      const child = first.child('turn')
      const taken = await Promise.all([
        extras.codeOf(() => procleash.createOwner('again')),
        extras.codeOf(() => first.child('turn')),
      ])
      await child.release()
      const second = first.child('turn')
      await second.spawn('sleep', ['60'])
      const old = await child.release()
      const release = first.release()
      const busy = await extras.codeOf(() => procleash.createOwner('again'))
      await release
      const next = procleash.createOwner('again')
      await next.release()
      return { taken, old: old.trees.length, busy, empty: (await next.release()).trees.length }
    }, null)
    expect(told).toEqual({
      taken: Array(2).fill('OwnerExistsError ERR_PROCLEASH_OWNER_EXISTS'),
      old: 0,
      busy: 'OwnerExistsError ERR_PROCLEASH_OWNER_EXISTS',
      empty: 0,
    })
  })

  it('is what the end of an await using block does', async () => {
    const tree = plantTree('shell-and-child.sh')
    await host().evaluate(async ({ procleash }, planted) => {
      const session = procleash.createOwner('disposed')
      extras.owners.disposed = session
      await extras.plant(session, planted)
    }, portable(tree))
    await tree.ready()
    await host().evaluate(() => extras.owners.disposed![Symbol.asyncDispose](), null)
    expect(tree.alive()).toEqual([])
  })

  it('happens by itself when the host dies', async () => {
    const trees = [plantTree('deaf-shell.sh'), plantTree('own-session.sh')]
    await host().evaluate(async ({ procleash }, [forSession, forTurn]) => {
      const session = procleash.createOwner('orphaned')
      await extras.plant(session, forSession!)
      await extras.plant(session.child('turn'), forTurn!)
    }, trees.map(portable))
    await Promise.all(trees.map((tree) => tree.ready()))
    const id = identify(host().pid)
    host().kill('SIGKILL')
    await waitUntil(() => trees.flatMap((tree) => tree.alive()).length === 0, 1500, 'all are gone')
    await waitUntil(() => !isAlive(id), 1000, 'the host is gone')
  })
})
