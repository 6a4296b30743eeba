// IO leases: what passes, what a revoke does, and the three states that follow it. That nothing reaches the holder
// afterwards has a test of its own: test/guarantees/g7-isolation.test.ts.

import { expect, it } from 'vitest'
import { portable, useOwnerHost } from '../support/owners.js'
import { identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('lets everything through while it is active', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const lease = new procleash.IoLease()
      const command = await lease.covers(
        procleash.spawn('sh', ['-c', 'cat; echo done >&2; exit 3'], { stdin: 'pipe', kind: 'bash' }),
      )
      const writer = command.stdin!.getWriter()
      const texts = Promise.all([new Response(command.stdout).text(), new Response(command.stderr).text()])
      await writer.write(new TextEncoder().encode('through\n'))
      const inside = (await command.processes()).length
      await writer.close()
      const guarded = lease.guard((a: number, b: number) => a + b)
      return {
        texts: await texts,
        inside,
        exit: await command.exited,
        outcome: (await command.settled).outcome,
        kind: command.kind,
        ids: [typeof command.id, command.pid > 1],
        sum: guarded(1, 2),
        promised: await lease.guard(async () => 'late')(),
        state: lease.state,
        aborted: lease.signal.aborted,
      }
    }, null)
    expect(told).toMatchObject({
      texts: ['through\n', 'done\n'],
      exit: { code: 3, signal: null },
      outcome: 'empty',
      kind: 'bash',
      ids: ['string', true],
      sum: 3,
      promised: 'late',
      state: 'active',
      aborted: false,
    })
    expect(told.inside).toBeGreaterThanOrEqual(1)
  })

  it('passes bytes unchanged, in a buffer of the reader as well, with the same backpressure', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const lease = new procleash.IoLease()
      const source = 'for i in $(seq 1 200000); do echo $i; done'
      const command = lease.covers(await procleash.spawn('bash', ['-c', source]))
      const reader = command.stdout!.getReader({ mode: 'byob' })
      let sum = 0
      let length = 0
      for (;;) {
        const { value, done } = await reader.read(new Uint8Array(70_000))
        if (done) break
        for (const byte of value) sum = (sum * 31 + byte) >>> 0
        length += value.length
      }
      let expected = 0
      let expectedLength = 0
      for (let i = 1; i <= 200_000; i += 1) {
        for (const byte of new TextEncoder().encode(`${i}\n`)) {
          expected = (expected * 31 + byte) >>> 0
          expectedLength += 1
        }
      }
      return { same: sum === expected, length, expectedLength, exit: await command.exited }
    }, null)
    expect(told).toMatchObject({ same: true, exit: { code: 0 } })
    expect(told.length).toBe(told.expectedLength)
  })

  it('tells requested, acknowledged and ended apart', async () => {
    const tree = plantTree('deaf-shell.sh')
    await host().evaluate(async ({ procleash }, planted) => {
      const owner = procleash.createOwner('leased')
      extras.owners.leased = owner
      extras.commands.deaf = await extras.plant(owner, planted, { stdout: 'pipe' })
    }, portable(tree))
    await tree.ready()

    const told = await host().evaluate(async ({ procleash }) => {
      const lease = new procleash.IoLease({ budget: 600 })
      lease.covers(extras.commands.deaf!)
      const states: string[] = [lease.state]
      lease.revoke('enough')
      states.push(lease.state)
      await lease.acknowledged
      const acknowledged = performance.now()
      states.push(lease.state)
      const settlements = await lease.ended
      states.push(lease.state)
      return {
        states,
        between: performance.now() - acknowledged,
        reasons: settlements.map(({ reason, outcome }) => `${reason} ${outcome}`),
        signal: [lease.signal.aborted, lease.signal.reason],
        left: (await extras.owners.leased!.release()).trees.length,
      }
    }, null)

    expect(tree.alive()).toEqual([])
    expect(told).toMatchObject({
      states: ['active', 'revoked', 'acknowledged', 'ended'],
      reasons: ['abort empty'],
      signal: [true, 'enough'],
      left: 0,
    })
    expect(told.between).toBeGreaterThan(300)
    expect(told.between).toBeLessThan(1200)
  })

  it('ends at once without work, and keeps its first reason', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const lease = new procleash.IoLease()
      const ended = lease.covers(await procleash.spawn('true'))
      await ended.settled
      lease.revoke(new Error('first'))
      lease.revoke('second')
      const bare = new procleash.IoLease()
      bare.revoke()
      return {
        state: lease.state,
        settlements: await lease.ended,
        reason: String(lease.signal.reason),
        bare: [(bare.signal.reason as Error).name, bare.state],
      }
    }, null)
    expect(told).toEqual({
      state: 'ended',
      settlements: [],
      reason: 'Error: first',
      bare: ['LeaseRevokedError', 'ended'],
    })
  })

  it('stops a command that is still being started, and one that comes too late', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const owner = procleash.createOwner('late')
      const lease = new procleash.IoLease()
      const starting = lease.covers(owner.spawn('sleep', ['60']))
      lease.revoke()
      const state = lease.state
      const code = await extras.codeOf(() => starting)
      const settlements = await lease.ended
      const late = lease.covers(await owner.spawn('sleep', ['60']))
      const lateCode = await extras.codeOf(() => late.settled)
      const failed = await extras.codeOf(() => lease.covers(procleash.spawn('no-such-tool')))
      const fresh = new procleash.IoLease()
      const missing = await extras.codeOf(() => fresh.covers(procleash.spawn('no-such-tool')))
      fresh.revoke()
      while ((await owner.list()).length > 0) await extras.delay(5)
      await owner.release()
      return {
        state,
        code,
        reasons: settlements.map(({ reason }) => reason),
        lateCode,
        failed,
        missing,
        end: fresh.state,
      }
    }, null)
    expect(told).toEqual({
      state: 'revoked',
      code: 'LeaseRevokedError ERR_PROCLEASH_LEASE_REVOKED',
      reasons: ['abort'],
      lateCode: 'LeaseRevokedError ERR_PROCLEASH_LEASE_REVOKED',
      failed: 'LeaseRevokedError ERR_PROCLEASH_LEASE_REVOKED',
      missing: 'SpawnError ENOENT',
      end: 'ended',
    })
  })

  it('lets a command clean up: its pipes stay open until it has ended', async () => {
    const note = `${host().dir}/cleaned`
    await host().evaluate(async ({ procleash }, path) => {
      const lease = new procleash.IoLease()
      const script = `trap 'for i in $(seq 1 20000); do echo cleaning up $i; done; echo yes >"$0"; exit' TERM
          echo ready; while :; do sleep 0.02; done`
      const command = await lease.covers(procleash.spawn('bash', ['-c', script, path], { budget: 5000 }))
      await command.stdout!.getReader().read()
      lease.revoke()
      await lease.ended
    }, note)
    const { readFileSync } = await import('node:fs')
    expect(readFileSync(note, 'utf8')).toBe('yes\n')
  })

  it('is left with await using, revoked or not', async () => {
    const pids = await host().evaluate(async ({ procleash }) => {
      const active = new procleash.IoLease()
      const first = await active.covers(procleash.spawn('sleep', ['60']))
      await first[Symbol.asyncDispose]()
      const revoked = new procleash.IoLease()
      const second = await revoked.covers(procleash.spawn('sleep', ['60']))
      revoked.revoke()
      await second[Symbol.asyncDispose]()
      return [first.pid, second.pid]
    }, null)
    for (const pid of pids) {
      let alive = false
      try {
        alive = isAlive(identify(pid))
      } catch {
        // Gone, as it should be.
      }
      expect(alive).toBe(false)
    }
  })

  it('its signal stops what takes a signal', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const lease = new procleash.IoLease()
      const running = procleash.run('sleep', ['60'], { signal: lease.signal })
      setTimeout(() => lease.revoke('over'), 50)
      return (await running).reason
    }, null)
    expect(told).toBe('abort')
  })
})
