// Settlements beyond what the keeper's words hold. The words themselves are decoded in wire.ts.

import type { SpawnPlan } from './options.js'
import type { Settlement } from './types.js'

/** A command that ended by itself has no argv any more when the keeper looks; the plan has it. */
export function withCommandArgv(settlement: Settlement, pid: number, plan: SpawnPlan): Settlement {
  const ended = settlement.ended.map((process) =>
    process.pid === pid && process.argv.length === 0
      ? { ...process, argv: [plan.argv0, ...plan.args] }
      : process,
  )
  return { ...settlement, ended }
}

/**
 * For a tree whose keeper's word can't be understood: nothing is known, so `empty` is not said. The list of
 * survivors is empty because none can be named, not because none is there.
 */
export function unknownSettlement(): Settlement {
  return {
    outcome: 'survivors',
    reason: 'supervisor-lost',
    proof: 'none',
    escalated: false,
    elapsed: 0,
    ended: [],
    endedCount: 0,
    survivors: [],
    usage: { userTime: 0, systemTime: 0, maxRss: 0 },
    oomKills: 0,
  }
}
