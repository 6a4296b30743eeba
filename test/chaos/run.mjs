// A chaos run in one runtime: its rounds, spread over a few hosts at once.

import { startHost } from './host.mjs'
import { planRound } from './plan.mjs'
import { runRound } from './round.mjs'

export const programs = { procleash: 'chaos.mjs', naive: 'chaos-naive.mjs' }

/**
 * @typedef {object} Failure
 * @property {number} round
 * @property {string} title
 * @property {string[]} problems
 *
 * @typedef {object} Result
 * @property {string} runtime
 * @property {number} rounds
 * @property {number} trees
 * @property {number} hosts
 * @property {number} outside
 * @property {number[]} beyond Of each round that waited for trees: milliseconds after the budget.
 * @property {Map<string, number>} faults How often each came.
 * @property {Failure[]} failures
 * @property {number} duration
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
  const result = {
    runtime: runtime.name,
    rounds: 0,
    trees: 0,
    hosts: 0,
    outside: 0,
    beyond: [],
    faults: new Map(),
    failures: [],
    duration: 0,
  }
  // Node 20 has no process.execve, nor has Deno.
  const can = { execve: !['node20', 'deno'].includes(runtime.name) }

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
      result.rounds += 1
      result.trees += outcome.trees
      result.outside += outcome.outside
      if (outcome.beyond !== null) result.beyond.push(outcome.beyond)
      const [fault = ''] = round.title.split(',')
      result.faults.set(fault, (result.faults.get(fault) ?? 0) + 1)
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
