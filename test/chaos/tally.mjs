// What a run of rounds counts, chaos or properties.

/**
 * @typedef {object} Tally
 * @property {string} runtime
 * @property {number} rounds
 * @property {number} trees
 * @property {Map<string, number>} faults How often each came.
 * @property {number} duration Milliseconds.
 */

/**
 * @param {{ name: string }} runtime
 * @returns {Tally}
 */
export function emptyTally({ name }) {
  return { runtime: name, rounds: 0, trees: 0, faults: new Map(), duration: 0 }
}

/**
 * @param {Tally} tally
 * @param {import('./plan.mjs').Round} round
 * @param {Pick<import('./round.mjs').Outcome, 'trees'>} outcome
 */
export function countRound(tally, { title }, { trees }) {
  const [fault = ''] = title.split(',')
  tally.rounds += 1
  tally.trees += trees
  tally.faults.set(fault, (tally.faults.get(fault) ?? 0) + 1)
}

/**
 * A row for each fault: its name, and how often each runtime had it.
 *
 * @param {readonly Tally[]} tallies
 */
export function faultRows(tallies) {
  const names = [...new Set(tallies.flatMap(({ faults }) => [...faults.keys()]))].sort()
  return names.map((name) => [name, ...tallies.map(({ faults }) => String(faults.get(name) ?? 0))])
}
