// Trees that the host starts by its runtime's own child_process, and stopTree in the host.

import { expect } from 'vitest'
import type { ProcessInfo, Settlement, StopTreeOptions } from '../../src/types.js'
import type { Host } from './host.js'

/** Stop with the cases' usual measure: SIGTERM, and SIGKILL about 600 ms later. */
export function stopForeign(
  host: Host,
  pid: number,
  options: StopTreeOptions = { budget: 700 },
): Promise<Settlement> {
  return host.evaluate(({ procleash }, request) => procleash.stopTree(request.pid, request.options), {
    pid,
    options,
  })
}

export function inspectForeign(host: Host, pid: number): Promise<ProcessInfo[]> {
  return host.evaluate(({ procleash }, root) => procleash.inspectTree(root), pid)
}

/** What the runtime itself says of the end of the child that `naiveSpawn` started. */
export function childEnd(host: Host): Promise<{ code: number | null; signal: string | null }> {
  return host.evaluate(async ({ kept }) => {
    await kept.ended
    const { exitCode, signalCode } = kept.child as import('node:child_process').ChildProcess
    return { code: exitCode, signal: signalCode }
  }, null)
}

/** Nothing is left of what was seen; and no more is claimed. */
export function expectUnseen(settlement: Settlement): void {
  expect(settlement).toMatchObject({ outcome: 'empty', reason: 'stop', proof: 'snapshot', survivors: [] })
}

/** For trees that obey, or are killed at once: so much that no machine is so busy that they use it up. */
export const ample: StopTreeOptions = { budget: 15_000 }

/** What obeyed was not waited for, and got no SIGKILL. For a stop with the {@link ample} budget. */
export function expectObeyed(settlement: Settlement): void {
  expectUnseen(settlement)
  expect(settlement.escalated).toBe(false)
  expect(settlement.elapsed).toBeLessThan(10_000)
}

/** How long a busy machine may keep us waiting beyond what we allow ourselves. */
const BUSY = 3000

/** SIGKILL came when most of the budget was over, and not for ever after it. */
export function expectKilled(settlement: Settlement, budget = 700): void {
  expectUnseen(settlement)
  expect(settlement.escalated).toBe(true)
  expect(settlement.elapsed).toBeGreaterThanOrEqual(budget / 2)
  expectBounded(settlement, budget)
}

/** It settled within the second that a stop may take past its budget. */
export function expectBounded(settlement: Settlement, budget = 700): void {
  expect(settlement.elapsed).toBeLessThan(budget + 1000 + BUSY)
}

/** Where a plain child is: in a group and session of its own, or in the host's. */
export const placements = [
  { detached: true, place: 'in a group of its own' },
  { detached: false, place: "in the host's group" },
] as const
