// A chaos run in one runtime: its rounds, spread over a few hosts at once.

import { hasExecve, programs, startHost } from './host.mjs'
import { planRound } from './plan.mjs'
import { runRound } from './round.mjs'
import { countRound, emptyTally } from './tally.mjs'

/**
 * @typedef {object} Failure
 * @property {number} round
 * @property {string} title
 * @property {string[]} problems
 *
 * @typedef {object} OwnCounts
 * @property {number} hosts
 * @property {number} outside
 * @property {number[]} beyond Of each round that waited for trees: milliseconds after the budget.
 * @property {Failure[]} failures
 *
 * @typedef {import('./tally.mjs').Tally & OwnCounts} Result
 */

/**
 * @param {object} options
 * @param {{ name: string, command: string, args: string[] }} options.runtime
 * @param {readonly number[]} options.rounds Their numbers.
 * @param {string} options.seed
 * @param {number} options.lanes How many hosts at once.
 * @param {number} [options.mostFailures] The run is over then.
 * @param {keyof typeof programs} [options.program]
 * @param {(result: Result) => void} [options.progress]
 * @returns {Promise<Result>}
 */
export async function runChaos({
  runtime,
  rounds,
  seed,
  lanes,
  mostFailures = 10,
  program = 'procleash',
  progress = () => {},
}) {
  const began = performance.now()
  /** @type {Result} */
  const result = { ...emptyTally(runtime), hosts: 0, outside: 0, beyond: [], failures: [] }
  const can = { execve: hasExecve(runtime) }

  // Which rounds share a host is no matter of speed: the same lanes give the same hosts the same rounds.
  const lane = async (/** @type {number} */ first) => {
    /** @type {import('./host.mjs').ChaosHost | undefined} */
    let host
    for (let at = first; at < rounds.length && result.failures.length < mostFailures; at += lanes) {
      const round = planRound(seed, runtime.name, rounds[at] ?? 0, can)
      if (host === undefined) {
        host = await startHost(runtime, programs[program])
        result.hosts += 1
      }
      const outcome = await runRound(host, round)
      countRound(result, round, outcome)
      result.outside += outcome.outside
      if (outcome.beyond !== null) result.beyond.push(outcome.beyond)
      if (outcome.problems.length > 0) {
        result.failures.push({ round: round.number, title: round.title, problems: outcome.problems })
      }
      result.duration = performance.now() - began
      progress(result)
      if (!outcome.hostIsWell) {
        await host.close()
        host = undefined
      }
    }
    await host?.close()
  }
  await Promise.all(Array.from({ length: Math.min(lanes, rounds.length) }, (_, first) => lane(first)))
  result.duration = performance.now() - began
  return result
}
