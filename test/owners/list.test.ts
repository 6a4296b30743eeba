// What an owner's list says, compared with what /proc says.

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { portable, useOwnerHost } from '../support/owners.js'
import { descendantsOf, identify, isAlive, residentBytes } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('describes each tree, and what the whole of it uses', async () => {
    const tree = plantTree('own-session.sh')
    const log = join(host().dir, 'list.log')
    const before = Date.now()
    const started = await host().evaluate(
      async ({ procleash }, { planted, path, cwd }) => {
        const session = procleash.createOwner('listed')
        extras.owners.listed = session
        const env = { ...process.env, ...planted.env }
        const options = { env, kind: 'bash', label: 'server', log: path, cwd }
        const command = await session.child('turn').spawn(planted.file, planted.args, options)
        extras.commands.listed = command
        return { id: command.id, pid: command.pid, log: command.log, kind: command.kind }
      },
      { planted: portable(tree), path: log, cwd: tree.dir },
    )
    await tree.ready()

    const [entry, ...rest] = await host().evaluate(() => extras.owners.listed!.list(), null)

    expect(rest).toEqual([])
    const members = [started.pid, ...descendantsOf(started.pid).map(({ pid }) => pid)]
    expect(entry).toEqual({
      id: started.id,
      pid: started.pid,
      kind: 'bash',
      label: 'server',
      owner: ['listed', 'turn'],
      unfinished: false,
      cwd: tree.dir,
      argv: [tree.file, ...tree.args],
      log,
      startedAt: expect.any(Number),
      state: 'running',
      cpuTime: expect.any(Number),
      memory: expect.any(Number),
      processes: members.length,
    })
    expect(members.length).toBeGreaterThan(1)
    expect(started.log).toBe(log)
    expect(entry!.startedAt).toBeGreaterThanOrEqual(before - 1)
    expect(entry!.startedAt).toBeLessThanOrEqual(Date.now())
    const resident = members.reduce((sum, pid) => sum + residentBytes(pid), 0)
    expect(entry!.memory! / resident).toBeGreaterThan(0.8)
    expect(entry!.memory! / resident).toBeLessThan(1.25)
    await host().evaluate(() => extras.owners.listed!.release(), null)
  })

  it('adds up the CPU time of a tree', async () => {
    const cpu = await host().evaluate(async ({ procleash }) => {
      const owner = procleash.createOwner('busy')
      await owner.spawn('bash', ['-c', 'for i in 1 2; do (while :; do :; done) & done; wait'])
      const read = async () => (await owner.list())[0]?.cpuTime ?? 0
      const began = performance.now()
      while ((await read()) < 300 && performance.now() - began < 15_000) await extras.delay(50)
      const used = await read()
      await owner.release()
      return used
    }, null)
    expect(cpu).toBeGreaterThanOrEqual(300)
  })

  it('is of its own and of those below, as asked', async () => {
    const lists = await host().evaluate(async ({ procleash }) => {
      const session = procleash.createOwner('tall')
      const turn = session.child('turn')
      const call = turn.child('call')
      const other = procleash.createOwner('apart')
      await session.spawn('sleep', ['60'], { kind: 'bash', label: 's' })
      await turn.spawn('sleep', ['60'], { kind: 'subagent', label: 't' })
      await call.spawn('sleep', ['60'], { kind: 'bash', label: 'c' })
      await procleash.spawn('sleep', ['60'], { owner: other, kind: 'bash', label: 'o' })
      const labels = async (list: Promise<{ label: string | null }[]>) =>
        (await list).map(({ label }) => label)
      const told = {
        all: await labels(session.list()),
        own: await labels(session.list({ recursive: false })),
        bash: await labels(session.list({ kind: 'bash' })),
        turn: await labels(turn.list()),
        other: await labels(other.list()),
        parents: [session.parent, turn.parent?.id, call.parent?.id, call.path.join(' > ')],
      }
      await Promise.all([session.release(), other.release()])
      return told
    }, null)
    expect({ ...lists, all: lists.all.sort(), bash: lists.bash.sort(), turn: lists.turn.sort() }).toEqual({
      all: ['c', 's', 't'],
      own: ['s'],
      bash: ['c', 's'],
      turn: ['c', 't'],
      other: ['o'],
      parents: [null, 'tall', 'turn', 'tall > turn > call'],
    })
  })

  it('shows the states of a life: starting, running, exited, stopping', async () => {
    const tree = plantTree('deaf-shell.sh')
    await host().evaluate(async ({ procleash }, planted) => {
      extras.owners.states = procleash.createOwner('states')
      extras.commands.deaf = await extras.plant(extras.owners.states, planted, { label: 'deaf' })
    }, portable(tree))
    await tree.ready()
    const told = await host().evaluate(async () => {
      const owner = extras.owners.states!
      const deaf = extras.commands.deaf!
      const states = async (label: string) =>
        (await owner.list()).filter((entry) => entry.label === label).map(({ state }) => state)
      const starting = owner.spawn('true', [], { label: 'new' })
      // Asked before the command can run: a request for a list is as quick as one for a start.
      const [fresh] = await Promise.all([states('new'), starting])
      const left = await owner.spawn('sh', ['-c', 'sleep 60 &'], { leftovers: 'keep', label: 'left' })
      await left.exited
      const running = await states('deaf')
      const exited = await states('left')
      const stop = deaf.stop({ budget: 600 })
      const stopping = await states('deaf')
      await stop
      const ended = await states('deaf')
      await owner.release()
      return { fresh, running, exited, stopping, ended }
    }, null)
    expect(told.running).toEqual(['running'])
    expect(told.exited).toEqual(['exited'])
    expect(told.stopping).toEqual(['stopping'])
    expect(told.ended).toEqual([])
    expect(['starting', 'running', undefined]).toContain(told.fresh[0])
  })

  it('finds a command by its id, and gives ids that are never used again', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const owner = procleash.createOwner('by id')
      const turn = owner.child('turn')
      const command = await turn.spawn('sleep', ['60'])
      const same = owner.get(command.id) === command && turn.get(command.id) === command
      // A command of run() has no face until somebody asks for it.
      const running = owner.run('sleep', ['60'])
      while ((await owner.list()).every(({ pid, id }) => pid === null || id === command.id))
        await extras.delay(5)
      const other = (await owner.list()).find(({ id }) => id !== command.id)!
      const settlement = await owner.get(other.id).stop()
      const ran = await running
      await command.stop()
      const gone = await extras.codeOf(() => owner.get(command.id))
      const next = await owner.spawn('true')
      const ids = new Set([command.id, other.id, next.id])
      await owner.release()
      return { same, outcome: settlement.outcome, reason: ran.reason, gone, ids: ids.size }
    }, null)
    expect(told).toEqual({
      same: true,
      outcome: 'empty',
      reason: 'stop',
      gone: 'UnknownTreeError ERR_PROCLEASH_UNKNOWN_TREE',
      ids: 3,
    })
  })

  it('C57: a kept service is listed with owner and kind, and ends with the release', async () => {
    const tree = plantTree('service.py')
    const started = await host().evaluate(async ({ procleash }, planted) => {
      extras.owners.service = procleash.createOwner('service')
      const turn = extras.owners.service.child('turn')
      const command = await extras.plant(turn, planted, { leftovers: 'keep', kind: 'service' })
      return { exit: await command.exited, pid: command.pid }
    }, portable(tree))
    await tree.ready()
    expect(started.exit).toEqual({ code: 0, signal: null })

    const entries = await host().evaluate(() => extras.owners.service!.list(), null)
    expect(entries).toEqual([
      expect.objectContaining({
        pid: started.pid,
        owner: ['service', 'turn'],
        kind: 'service',
        state: 'exited',
        processes: 1,
      }),
    ])
    expect(isAlive(tree.process('service'))).toBe(true)

    await host().evaluate(() => extras.owners.service!.release(), null)
    expect(tree.alive()).toEqual([])
  })

  it('keeps a tree in sight until its survivors have ended', async () => {
    // A tree that is stopped with nothing left is off the list at once.
    const pid = await host().evaluate(async ({ procleash }) => {
      extras.owners.sight = procleash.createOwner('sight')
      return (await extras.owners.sight.spawn('sleep', ['60'])).pid
    }, null)
    const id = identify(pid)
    const after = await host().evaluate(async () => {
      await extras.owners.sight!.stop()
      const entries = await extras.owners.sight!.list()
      await extras.owners.sight!.release()
      return entries
    }, null)
    expect(after).toEqual([])
    await waitUntil(() => !isAlive(id), 100, 'it is gone')
  })
})
