// G7: after the IO lease is revoked, no late byte, exit or event of its work reaches the caller. Late means: known
// here after revoke() was called, or known and not handed out yet.

import { expect, it } from 'vitest'
import { useOwnerHost } from '../support/owners.js'
import { forEachRuntime } from '../support/runtimes.js'

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('nothing comes after a revoke at any moment of a chattering command', async () => {
    const told = await host().evaluate(
      async ({ procleash }) => {
        let late = 0
        let early = 0
        const errors: string[] = []
        const round = async (moment: number) => {
          const lease = new procleash.IoLease({ budget: 300 })
          const script = 'while :; do echo $SECONDS; echo $SECONDS >&2; done'
          const command = await lease.covers(procleash.spawn('bash', ['-c', script]))
          let revoked = false
          const note = () => {
            if (revoked) late += 1
            else early += 1
          }
          const read = async (stream: ReadableStream<Uint8Array>) => {
            for await (const _ of stream) note()
          }
          const readers = [read(command.stdout!), read(command.stderr!)]
          for (const promise of [command.exited, command.settled]) {
            promise.then(note, (error) => errors.push(error.code))
          }
          command.processes().then(note, (error) => errors.push(error.code))
          await extras.delay(moment)
          lease.revoke('enough')
          revoked = true
          await lease.ended
          await Promise.all(readers)
          await extras.delay(30)
        }
        for (let moment = 0; moment < 24; moment += 2) await round(moment)
        return { late, early, errors: [...new Set(errors)] }
      },
      null,
      60_000,
    )
    expect(told.late).toBe(0)
    expect(told.early).toBeGreaterThan(0)
    expect(told.errors).toEqual(['ERR_PROCLEASH_LEASE_REVOKED'])
  })

  it('nothing that waits in the same turn slips through a revoke by the first of it', async () => {
    const late = await host().evaluate(
      async ({ procleash }) => {
        const seen: string[] = []
        for (let round = 0; round < 20; round += 1) {
          const lease = new procleash.IoLease()
          const command = await lease.covers(
            procleash.spawn('bash', ['-c', 'echo out; echo err >&2; exit 3']),
          )
          let revoked = ''
          const first = (what: string) => {
            if (revoked !== '') seen.push(`${what} after ${revoked}`)
            else {
              lease.revoke()
              revoked = what
            }
          }
          const ignore = () => {}
          const wait = [
            command
              .stdout!.getReader()
              .read()
              .then(({ done }) => done || first('out'), ignore),
            command
              .stderr!.getReader()
              .read()
              .then(({ done }) => done || first('err'), ignore),
            command.exited.then(() => first('exit'), ignore),
            command.settled.then(() => first('settled'), ignore),
          ]
          // All of it is there when the loop is free again.
          for (const end = performance.now() + 60; performance.now() < end; );
          await Promise.all(wait)
          await lease.ended
        }
        return seen
      },
      null,
      60_000,
    )
    expect(late).toEqual([])
  })

  it('what arrived while the loop was blocked is dropped by a revoke right after', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const lease = new procleash.IoLease()
      const command = await lease.covers(procleash.spawn('sh', ['-c', 'echo secret; exit 7']))
      const seen: unknown[] = []
      command.exited.then(
        (exit) => seen.push(exit),
        () => seen.push('revoked'),
      )
      const chunk = command.stdout!.getReader().read()
      for (const end = performance.now() + 300; performance.now() < end; );
      lease.revoke()
      const { done } = await chunk
      await lease.ended
      await extras.delay(50)
      return { done, seen }
    }, null)
    expect(told).toEqual({ done: true, seen: ['revoked'] })
  })

  it('guarded callbacks are not called, and late results of foreign work are dropped', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const lease = new procleash.IoLease()
      const calls: string[] = []
      const onData = lease.guard((text: string) => calls.push(text))
      const slow = lease.guard(async (answer: string) => {
        await extras.delay(100)
        calls.push('the work itself went on')
        return answer
      })
      const failing = lease.guard(async () => {
        await extras.delay(100)
        throw new Error('late error')
      })
      onData('early')
      const answers = [slow('answer'), failing()].map((promise) =>
        Promise.resolve(promise).then(
          (value) => `got ${value}`,
          (error) => error.code,
        ),
      )
      const began = performance.now()
      setTimeout(() => lease.revoke('gone'), 20)
      const results = await Promise.all(answers)
      const waited = performance.now() - began
      const after = [onData('late'), slow('late')]
      await extras.delay(150)
      return { calls, results, after, atOnce: waited < 90 }
    }, null)
    expect(told).toEqual({
      calls: ['early', 'the work itself went on'],
      results: ['ERR_PROCLEASH_LEASE_REVOKED', 'ERR_PROCLEASH_LEASE_REVOKED'],
      after: [null, null],
      atOnce: true,
    })
  })

  it('a revoked command takes no input, no signal and no question of its old holder', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const lease = new procleash.IoLease({ budget: 400 })
      const script =
        'trap "" TERM; trap "echo usr1 >&2" USR1; echo ready; while read line; do :; done; sleep 60'
      const command = await lease.covers(procleash.spawn('bash', ['-c', script], { stdin: 'pipe' }))
      const reader = command.stdout!.getReader()
      await reader.read()
      const writer = command.stdin!.getWriter()
      await writer.write(new TextEncoder().encode('x\n'))
      lease.revoke()
      return {
        write: await extras.codeOf(() => writer.write(new TextEncoder().encode('y\n'))),
        killed: command.kill('SIGUSR1'),
        processes: await extras.codeOf(() => command.processes()),
        stop: await extras.codeOf(() => command.stop()),
        read: (await reader.read()).done,
        ended: (await lease.ended).map(({ outcome }) => outcome),
      }
    }, null)
    const revoked = 'LeaseRevokedError ERR_PROCLEASH_LEASE_REVOKED'
    expect(told).toEqual({
      write: revoked,
      killed: false,
      processes: revoked,
      stop: revoked,
      read: true,
      ended: ['empty'],
    })
  })

  it('control: without a lease, exit and bytes come after the same moment', async () => {
    const late = await host().evaluate(async ({ procleash }) => {
      const command = await procleash.spawn('sh', ['-c', 'echo secret; exit 7'])
      let revoked = false
      const seen: string[] = []
      const note = (what: string) => {
        if (revoked) seen.push(what)
      }
      void command.exited.then(() => note('exit'))
      const reading = command
        .stdout!.getReader()
        .read()
        .then(() => note('bytes'))
      for (const end = performance.now() + 200; performance.now() < end; );
      revoked = true
      await Promise.all([command.settled, reading])
      return seen.sort()
    }, null)
    expect(late).toEqual(['bytes', 'exit'])
  })
})
