// What survives what: the table of docs/owners.md, line by line. A session is an owner, so a runtime says with owners
// what it means: nothing ends by being looked at, and nothing stays that nobody has any more.

import { expect, it } from 'vitest'
import { portable, useOwnerHost } from '../support/owners.js'
import { identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('switching the viewed session: both keep running', async () => {
    const trees = [plantTree('shell-and-child.sh'), plantTree('own-session.sh')]
    await host().evaluate(async ({ procleash }, [first, second]) => {
      extras.owners.first = procleash.createOwner('first')
      extras.owners.second = procleash.createOwner('second')
      await extras.plant(extras.owners.first, first!)
      await extras.plant(extras.owners.second, second!)
    }, trees.map(portable))
    await Promise.all(trees.map((tree) => tree.ready()))
    const before = trees.map((tree) => tree.alive())

    // Looking at a session is reading its list and its logs, again and again.
    const seen = await host().evaluate(async () => {
      const counts: number[] = []
      for (const name of ['first', 'second', 'first', 'second']) {
        counts.push((await extras.owners[name]!.list()).length)
      }
      return counts
    }, null)

    expect(seen).toEqual([1, 1, 1, 1])
    expect(trees.map((tree) => tree.alive())).toEqual(before)
    await host().evaluate(
      () => Promise.all([extras.owners.first!.release(), extras.owners.second!.release()]),
      null,
    )
  })

  it('forking a session: the original keeps its trees, the fork starts with none', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const original = procleash.createOwner('original')
      extras.owners.original = original
      const command = await original.spawn('sleep', ['60'])
      const fork = procleash.createOwner('original (fork)')
      const listed = { fork: await fork.list(), original: (await original.list()).length }
      const own = await fork.spawn('sleep', ['60'])
      await fork.release()
      return { ...listed, kept: command.pid, own: own.pid }
    }, null)
    expect(told).toMatchObject({ fork: [], original: 1 })
    const kept = identify(told.kept)
    expect(isAlive(kept)).toBe(true)
    await host().evaluate(() => extras.owners.original!.release(), null)
    expect(isAlive(kept)).toBe(false)
  })

  it('reloading the settings: keeps running, and a tool set that is made anew finds it', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const session = procleash.createOwner('configured')
      const command = await session.spawn('sleep', ['60'])
      // What a reload makes anew: tools, and an owner object that is asked for by its path.
      const before = await extras.processTools(session).process_list.execute({})
      const after = await extras.processTools(session, { maxBytes: 100 }).process_list.execute({})
      const same = before.processes[0]?.id === after.processes[0]?.id && after.processes[0]?.id === command.id
      const running = command.kill('SIGCONT')
      await session.release()
      return { same, running }
    }, null)
    expect(told).toEqual({ same: true, running: true })
  })

  it('the end of a turn: stopped, unless it was given to the session before', async () => {
    const pids = await host().evaluate(async ({ procleash }) => {
      const session = procleash.createOwner('long')
      extras.owners.long = session
      const turn = session.child('turn-1')
      const server = await turn.spawn('sleep', ['60'], { kind: 'bash' })
      const helper = await turn.spawn('sleep', ['60'])
      procleash.transfer(server, session)
      extras.owners.turn = turn
      return [server.pid, helper.pid]
    }, null)
    const ids = pids.map(identify)
    await host().evaluate(() => extras.owners.turn!.release(), null)
    expect(ids.map(isAlive)).toEqual([true, false])
    await host().evaluate(() => extras.owners.long!.release(), null)
    expect(ids.map(isAlive)).toEqual([false, false])
  })

  for (const what of ['deleted', 'replaced', 'resumed away'] as const) {
    it(`a session that is ${what}: stopped, and only that one`, async () => {
      const tree = plantTree('deaf-family.sh')
      const neighbour = await host().evaluate(
        async ({ procleash }, { planted, name }) => {
          const session = procleash.createOwner(name)
          extras.owners.leaving = session
          extras.owners.neighbour = procleash.createOwner(`beside ${name}`)
          await extras.plant(session.child('turn'), planted)
          return (await extras.owners.neighbour.spawn('sleep', ['60'])).pid
        },
        { planted: portable(tree), name: what },
      )
      await tree.ready()
      const beside = identify(neighbour)

      const next = await host().evaluate(async ({ procleash }, name) => {
        await extras.owners.leaving!.release({ budget: 500, reason: name })
        // Its successor may have the same id, and has nothing of it.
        const successor = procleash.createOwner(name)
        const list = await successor.list()
        await successor.release()
        return list
      }, what)

      expect(tree.alive()).toEqual([])
      expect(next).toEqual([])
      expect(isAlive(beside)).toBe(true)
      await host().evaluate(() => extras.owners.neighbour!.release(), null)
    })
  }

  for (const how of ['exit', 'throw', 'SIGKILL'] as const) {
    it(`the host ends (${how}): stopped, whoever owned it`, async () => {
      const trees = [plantTree('shell-and-child.sh'), plantTree('deaf-shell.sh'), plantTree('service.py')]
      await host().evaluate(async ({ procleash }, [bash, subagent, service]) => {
        const session = procleash.createOwner('ending')
        await extras.plant(session, bash!, { kind: 'bash' })
        await extras.plant(session.child('turn'), subagent!, { kind: 'subagent' })
        await extras.plant(session, service!, { leftovers: 'keep' })
      }, trees.map(portable))
      await Promise.all(trees.map((tree) => tree.ready()))
      expect(trees.flatMap((tree) => tree.alive())).toHaveLength(5)

      if (how === 'SIGKILL') host().kill('SIGKILL')
      else await host().request('end', { how })

      await waitUntil(() => trees.flatMap((tree) => tree.alive()).length === 0, 2000, 'all are gone')
      await host().ended
    })
  }
})
