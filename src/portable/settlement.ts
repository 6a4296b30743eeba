// What can be said of a tree's end without a keeper: what was seen in lists, and nothing beyond that.

import type { SpawnPlan } from '../options.js'
import type { EndedProcess, Exit, Settlement, SettleReason, Survivor, SurvivorReason } from '../types.js'
import type { Row } from './system.js'
import type { Gone, Watch } from './watch.js'

/** As many as a keeper names. */
const MOST_ENDED = 64

export interface End {
  readonly pid: number
  readonly plan: SpawnPlan
  /** `null`: the command has not ended. */
  readonly exit: Exit | null
  readonly reason: SettleReason
  readonly escalated: boolean
  /** Milliseconds. */
  readonly elapsed: number
}

/** `empty` only with a list that has nobody of the tree. Statuses are known of the command alone; usage is not. */
export function settlementOf(watch: Watch, end: End): Settlement {
  const { reason, escalated, elapsed } = end
  const seen = !watch.isBlind()
  const ended = endedOf(watch.gone(), end)
  const survivors = seen ? [...watch.members().values()].map((row) => toSurvivor(watch, row)) : []
  const isEmpty = seen && watch.isEmpty()
  return {
    outcome: isEmpty ? 'empty' : 'survivors',
    reason,
    proof: isEmpty ? 'snapshot' : 'none',
    escalated,
    elapsed,
    ended: ended.slice(0, MOST_ENDED),
    endedCount: ended.length,
    survivors,
    oomKills: 0,
    usage: { userTime: 0, systemTime: 0, maxRss: 0 },
  }
}

function endedOf(gone: readonly Gone[], { pid, plan, exit }: End): readonly EndedProcess[] {
  const command: readonly EndedProcess[] =
    exit === null ? [] : [{ pid, argv: [plan.argv0, ...plan.args], escaped: null, ...exit }]
  const others = gone
    .filter(({ row }) => row.pid !== pid)
    .map(({ row, escaped }) => ({ pid: row.pid, argv: row.argv, escaped, code: null, signal: null }))
  return [...command, ...others]
}

function toSurvivor(watch: Watch, { pid, startTime, argv, state }: Row): Survivor {
  const reason: SurvivorReason = watch.isDenied(pid) ? 'permission' : 'uninterruptible'
  return { pid, startTime, argv, state, reason }
}
