// What is told on diagnostics_channel: each event once, in the order of a life, with whose tree it is about.

import { expect, it } from 'vitest'
import { portable, type SeenEvent, useOwnerHost } from '../support/owners.js'
import { descendantsOf, endProcess, identify } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'

/** Names in order, of one tree. */
function lifeOf(events: readonly SeenEvent[], id: string): string {
  return events
    .filter((event) => event.id === id)
    .map(({ name }) => name)
    .join(' ')
}

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('tells a life from spawn to settle, with owner, kind, label and times', async () => {
    const { seen, id, pid } = await host().evaluate(async ({ procleash }) => {
      const { seen: events, stop } = extras.collectEvents()
      const turn = procleash.createOwner('session').child('turn')
      const command = await turn.spawn('sleep', ['60'], { kind: 'bash', label: 'server' })
      await turn.parent!.release({ reason: 'deleted by the user' })
      stop()
      return { seen: events, id: command.id, pid: command.pid }
    }, null)
    expect(lifeOf(seen, id)).toBe('spawn stop exit settle')
    for (const event of seen) {
      expect(event).toMatchObject({
        id,
        pid,
        owner: ['session', 'turn'],
        kind: 'bash',
        label: 'server',
        file: 'sleep',
      })
      expect(event.time).toBeGreaterThanOrEqual(event.startedAt)
      expect(Math.abs(event.time - Date.now())).toBeLessThan(20_000)
      // They may hold secrets.
      expect(event).not.toHaveProperty('args')
    }
    const [, stopped, exited, settled] = seen
    expect(stopped).toMatchObject({ reason: 'owner-released', message: 'deleted by the user' })
    expect(stopped?.requestedAt).toBeLessThanOrEqual(stopped!.time)
    expect(exited).toMatchObject({ code: null, signal: 'SIGTERM' })
    expect(settled?.settlement).toMatchObject({ outcome: 'empty', reason: 'owner-released' })
  })

  it('tells an event before the promise that goes with it reaches a caller', async () => {
    const order = await host().evaluate(async ({ procleash }) => {
      const told: string[] = []
      const leave = ['spawn', 'exit', 'settle'].map((name) => {
        const listen = () => told.push(`event ${name}`)
        extras.diagnosticsChannel.subscribe(`procleash:${name}`, listen)
        return () => extras.diagnosticsChannel.unsubscribe(`procleash:${name}`, listen)
      })
      const command = await procleash.spawn('sleep', ['0.05'])
      told.push('spawn')
      await command.exited
      told.push('exit')
      await command.settled
      told.push('settle')
      for (const act of leave) act()
      return told
    }, null)
    expect(order).toEqual(['event spawn', 'spawn', 'event exit', 'exit', 'event settle', 'settle'])
  })

  it('says who began a stop, and why: a call, an abort, a timeout, leftovers', async () => {
    const stops = await host().evaluate(async ({ procleash }) => {
      const { seen, stop } = extras.collectEvents()
      const controller = new AbortController()
      const called = await procleash.spawn('sleep', ['60'])
      await called.stop({ reason: 'asked for' })
      const aborted = await procleash.spawn('sleep', ['60'], { signal: controller.signal })
      controller.abort()
      await aborted.settled
      const late = await procleash.spawn('sleep', ['60'], { timeout: 50 })
      await late.settled
      const left = await procleash.spawn('sh', ['-c', 'sleep 60 & exit 0'], {
        stdout: 'ignore',
        stderr: 'ignore',
      })
      await left.settled
      const quiet = await procleash.spawn('true')
      await quiet.settled
      const ran = await procleash.run('true')
      stop()
      const told = seen.filter(({ name }) => name === 'stop')
      return {
        told: told.map(({ reason, message, requestedAt }) => ({
          reason,
          message: message ?? null,
          asked: requestedAt !== undefined,
        })),
        owners: seen.map(({ owner }) => owner.length).filter((length) => length > 0),
        settled: seen.filter(({ name }) => name === 'settle').length,
        ran: ran.code,
      }
    }, null)
    expect(stops.told).toEqual([
      { reason: 'stop', message: 'asked for', asked: true },
      { reason: 'abort', message: null, asked: true },
      { reason: 'timeout', message: null, asked: false },
      { reason: 'exit', message: null, asked: false },
    ])
    expect(stops).toMatchObject({ owners: [], settled: 6, ran: 0 })
  })

  it('tells of an escalation', async () => {
    const tree = plantTree('deaf-shell.sh')
    await host().evaluate(async ({ procleash }, planted) => {
      extras.owners.escalating = procleash.createOwner('escalating')
      extras.commands.escalating = await extras.plant(extras.owners.escalating, planted)
    }, portable(tree))
    await tree.ready()
    const { seen, id } = await host().evaluate(async () => {
      const { seen: events, stop } = extras.collectEvents()
      await extras.owners.escalating!.release({ budget: 300 })
      stop()
      return { seen: events, id: extras.commands.escalating!.id }
    }, null)
    expect(tree.alive()).toEqual([])
    expect(lifeOf(seen, id)).toBe('stop escalate exit settle')
    expect(seen.find(({ name }) => name === 'escalate')).toMatchObject({ reason: 'owner-released' })
  })

  it('tells of a lost keeper', async () => {
    const command = await host().evaluate(async ({ procleash }) => {
      const { seen, stop } = extras.collectEvents()
      const owner = procleash.createOwner('losing')
      const started = await owner.spawn('sleep', ['60'])
      extras.commands.lost = started
      extras.owners.losing = owner
      Object.assign(extras.commands, { lostEvents: { seen, stop } })
      return { id: started.id, pid: started.pid }
    }, null)
    const below = descendantsOf(host().pid)
    const keeper = below.find(({ pid }) => pid === below.find((stat) => stat.pid === command.pid)?.ppid)
    endProcess(identify(keeper!.pid))
    const told = await host().evaluate(async () => {
      const settlement = await extras.commands.lost!.settled
      const { seen, stop } = extras.commands.lostEvents as unknown as ReturnType<typeof extras.collectEvents>
      stop()
      const listed = await extras.owners.losing!.list()
      await extras.owners.losing!.release()
      return { seen, reason: settlement.reason, listed }
    }, null)
    expect(told.reason).toBe('supervisor-lost')
    expect(lifeOf(told.seen, command.id)).toMatch(/^spawn exit (escalate )?lost settle$/)
    const lost = told.seen.find(({ name }) => name === 'lost')
    expect(lost).toMatchObject({ owner: ['losing'], settlement: { reason: 'supervisor-lost' } })
    expect(told.listed).toEqual([])
  })

  it('names the owner that a tree has at the time', async () => {
    const owners = await host().evaluate(async ({ procleash }) => {
      const { seen, stop } = extras.collectEvents()
      const from = procleash.createOwner('first owner')
      const to = procleash.createOwner('second owner')
      const command = await from.spawn('sleep', ['60'])
      procleash.transfer(command, to)
      await Promise.all([from.release(), to.release()])
      stop()
      return seen.map(({ name, owner }) => `${name} ${owner.join()}`)
    }, null)
    expect(owners).toEqual([
      'spawn first owner',
      'stop second owner',
      'exit second owner',
      'settle second owner',
    ])
  })

  it('tells nothing of what was never started, and costs little when nobody listens', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const { seen, stop } = extras.collectEvents()
      const code = await extras.codeOf(() => procleash.spawn('no-such-tool'))
      stop()
      return { code, seen, listening: extras.diagnosticsChannel.hasSubscribers('procleash:spawn') }
    }, null)
    expect(told).toEqual({ code: 'SpawnError ENOENT', seen: [], listening: false })
  })
})
