// What tests say about settlements again and again.

import { createServer } from 'node:net'
import { expect } from 'vitest'
import type { Proof, Settlement } from '../../src/types.js'
import { isGroupGrade } from './grade.js'
import { PATIENCE, sanitizer } from './sanitizer.js'

/** Lists by ps take what a busy machine leaves them: with them, a bound can only tell a stop from a hang. */
const SLOW = 3000 * PATIENCE

/** A helper under Valgrind takes a second to start, and twenty times as long for the same. */
const isSlow = isGroupGrade || sanitizer !== undefined

/** Without a keeper, nobody can do better than look. */
const proofs: readonly Proof[] = isGroupGrade ? ['snapshot'] : ['subreaper', 'cgroup']

/** Nothing is left, and that was proved; not only not seen. */
export function expectEmpty(settlement: Settlement | null, reason: Settlement['reason']): void {
  expect(settlement).toMatchObject({ outcome: 'empty', reason, survivors: [] })
  expect(proofs).toContain(settlement?.proof)
}

/**
 * SIGKILL came when nearly all of a budget of 700 ms was over: not at once, and not much later. The upper bound
 * leaves a machine with two busy cores some air.
 */
export function expectWholeBudget(elapsed: number): void {
  // What SIGKILL and its lists need is kept back: half of the budget at most.
  expect(elapsed).toBeGreaterThanOrEqual(isGroupGrade ? 350 : 550)
  expect(elapsed).toBeLessThanOrEqual(isSlow ? SLOW : 1000)
}

/** Nothing resisted, so nothing was waited for: far from the 700 ms of the budget. */
export function expectAtOnce(elapsed: number): void {
  expect(elapsed).toBeLessThan(isSlow ? SLOW : 500)
}

/** A result of `run` whose command ends by itself: nobody waited for those that still hold its output. */
export function expectNotHeldUp(duration: number): void {
  expect(duration).toBeLessThan(isSlow ? SLOW : 1500)
}

/** Whether a listener can have the port of the loopback interface now, at the first try. */
export function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
