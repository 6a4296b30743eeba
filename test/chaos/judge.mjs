// Whether a host tells the truth: what it says about a tree, against what was done to it and what can be seen of it.

import { describe } from './look.mjs'
import { shapeOf } from './shapes.mjs'

/** Milliseconds: at the earliest a second after the budget a keeper gives up what it may kill. */
const GIVES_UP = 1000

/**
 * @typedef {object} Told What a host says of a tree's end; see test/hosts/chaos/trees.mjs.
 * @property {{
 *   outcome: string, reason: string, proof: string, escalated: boolean, elapsed: number, ended: number[],
 *   endedCount: number,
 *   survivors: { pid: number, startTime: number, reason: string }[]
 * }} settlement
 * @property {{ code: number | null, signal: string | null }} exit
 */

/**
 * @param {import('./plan.mjs').PlannedTree} tree
 * @param {Told} told
 * @param {ReadonlySet<string>} reasons What may have ended it by now.
 * @param {object} [state]
 * @param {boolean} [state.signalled] It was sent a signal that may have ended its command.
 * @param {number} [state.forbidden] Survivors, at most, for want of permission.
 * @returns {string[]}
 */
export function judgeSettlement(
  tree,
  { settlement, exit },
  reasons,
  { signalled = false, forbidden = 0 } = {},
) {
  const shape = shapeOf(tree)
  const { outcome, reason, proof, elapsed, ended, endedCount, survivors } = settlement
  /** @type {string[]} */
  const problems = []
  const say = (/** @type {string} */ text) =>
    problems.push(`tree ${tree.index} (${tree.script ?? tree.shape}) ${text}`)

  if (!reasons.has(reason)) say(`settled '${reason}', for which there was no cause: ${[...reasons]}`)
  if (reason === 'exit' && !signalled) {
    if (shape.lasting) say(`is said to have ended by itself: ${JSON.stringify(exit)}`)
    if (shape.end !== undefined && (exit.code !== shape.end.code || exit.signal !== shape.end.signal))
      say(`ends with ${JSON.stringify(shape.end)}, and is said to have ended with ${JSON.stringify(exit)}`)
  }
  // A search after a lost keeper may have to give up within a small budget, as long as it says so. So does a keeper whose
  // machine gives the killed no turn in which to end: G2 is measured elsewhere, and that they end is looked at as well.
  const mayGiveUp =
    (forbidden > 0 && reasonsOf(survivors) === 'permission') ||
    reason === 'supervisor-lost' ||
    (reasonsOf(survivors) === 'uninterruptible' && elapsed >= GIVES_UP)
  if (outcome !== 'empty' && !mayGiveUp)
    say(`has survivors after ${elapsed} ms: ${JSON.stringify(survivors)}`)
  if ((outcome === 'empty') !== (survivors.length === 0))
    say(`'${outcome}' with ${survivors.length} survivors`)
  if (outcome === 'empty' && !proofsOf(reason).includes(proof))
    say(`'empty', '${reason}', proved by '${proof}'`)
  if (endedCount < ended.length) say(`lists ${ended.length} ended processes and counts ${endedCount}`)
  return problems
}

/** @param {Told['settlement']['survivors']} survivors */
const reasonsOf = (survivors) => [...new Set(survivors.map(({ reason }) => reason))].join()

/** @param {string} reason */
function proofsOf(reason) {
  const proofs = ['subreaper', 'cgroup']
  return reason === 'supervisor-lost' ? [...proofs, 'snapshot'] : proofs
}

/**
 * A tree that was said to be empty has no living process, and a process that was said to have ended does not live.
 * Nothing can be born of an empty tree, so that a later look is as good.
 *
 * @param {number} round
 * @param {ReadonlyMap<number, Told>} settled
 * @param {readonly import('./look.mjs').Carrier[]} living
 * @returns {string[]}
 */
export function findLies(round, settled, living) {
  const problems = []
  for (const carrier of living) {
    if (!carrier.tree.startsWith(`${round}.`)) continue
    const index = Number(carrier.tree.slice(`${round}.`.length))
    const settlement = settled.get(index)?.settlement
    if (settlement === undefined) continue
    if (settlement.outcome === 'empty') {
      problems.push(
        `tree ${index} settled 'empty' (${settlement.reason}, ${settlement.proof}): ${describe(carrier)}`,
      )
    } else if (settlement.ended.includes(carrier.pid)) {
      problems.push(`is in the list of the ended: ${describe(carrier)}`)
    }
  }
  return problems
}
