// Properties in one runtime: random rounds, one after the other, each looked at as in a chaos run. The first that fails
// is made smaller as long as it goes on failing.

import fc from 'fast-check'
import { PATIENCE } from '../chaos/gone.mjs'
import { hasExecve, programs, startHost } from '../chaos/host.mjs'
import { runRound } from '../chaos/round.mjs'
import { countRound, emptyTally } from '../chaos/tally.mjs'
import { anyRound } from './arbitrary.mjs'
import { smaller } from './smaller.mjs'

/** What fails by a race is tried as often as this while it is made smaller. */
const TRIES = 3
/** Milliseconds after a budget: what is left then is believed to be left, once a round has shown that it can be. */
const IMPATIENT = 800
/** Rounds that are tried at most for that. */
const MOST_SMALLER = 250

/**
 * @typedef {import('../chaos/plan.mjs').Round} Round
 *
 * @typedef {object} Failure
 * @property {Round} round
 * @property {string[]} problems
 * @property {Round} first As it was found.
 * @property {string[]} firstProblems
 * @property {string} path With the seed it gives the round again.
 *
 * @typedef {object} OwnCounts
 * @property {number} processes By the scripts.
 * @property {number} unsettled Rounds whose trees had not all come to rest, though that was planned.
 * @property {number} smaller Rounds that were tried to make a failure smaller.
 * @property {Failure | undefined} failure
 *
 * @typedef {import('../chaos/tally.mjs').Tally & OwnCounts} Result
 */

/**
 * @param {object} options
 * @param {import('../../scripts/runtimes.mjs').Runtime} options.runtime
 * @param {number} options.runs
 * @param {number} options.seed
 * @param {number} [options.most] Milliseconds; no round begins after that.
 * @param {string} [options.path] Of a failure: only that.
 * @param {Round} [options.only] Not a random one.
 * @param {keyof typeof programs} [options.program]
 * @param {number} [options.user] Whose the hosts are.
 * @param {(result: Result) => void} [options.progress]
 * @returns {Promise<Result>}
 */
export async function runProperties({
  runtime,
  runs,
  seed,
  most = Number.POSITIVE_INFINITY,
  path,
  only,
  program = 'procleash',
  user,
  progress = () => {},
}) {
  const began = performance.now()
  /** @type {Result} */
  const result = { ...emptyTally(runtime), processes: 0, unsettled: 0, smaller: 0, failure: undefined }
  const stage = createStage(runtime, program, user)
  const holds = async (/** @type {Round} */ round) => {
    if (performance.now() - began > most) return true
    const { problems, ...outcome } = await stage.perform(round, PATIENCE)
    countRound(result, round, outcome)
    result.processes += outcome.processes
    if (!outcome.stood) result.unsettled += 1
    result.duration = performance.now() - began
    progress(result)
    if (problems.length > 0)
      result.failure = { first: round, firstProblems: problems, round, problems, path: '' }
    return problems.length === 0
  }
  try {
    const rounds = only === undefined ? anyRound : fc.constant(only)
    const options = { numRuns: runs, seed, endOnFailure: true, ...(path === undefined ? {} : { path }) }
    const details = await fc.check(fc.asyncProperty(rounds, holds), options)
    const { failure } = result
    if (failure === undefined && details.failed) throw details.errorInstance
    if (failure !== undefined) {
      failure.path = details.counterexamplePath ?? ''
      await makeSmaller(failure, result, (round) => stage.perform(round, IMPATIENT))
    }
  } finally {
    await stage.close()
  }
  result.duration = performance.now() - began
  return result
}

/**
 * @param {Failure} failure
 * @param {Result} result
 * @param {(round: Round) => Promise<{ problems: string[] }>} perform
 */
async function makeSmaller(failure, result, perform) {
  let tries = TRIES
  const fails = async (/** @type {Round} */ round) => {
    for (let attempt = 1; attempt <= tries && result.smaller < MOST_SMALLER; attempt += 1) {
      result.smaller += 1
      const { problems } = await perform(round)
      if (problems.length === 0) continue
      Object.assign(failure, { round, problems })
      return attempt
    }
    return 0
  }
  // What fails each time needs no second try.
  const first = await fails(failure.first)
  if (first === 1) tries = 1
  if (first === 0) return
  const seen = new Set()
  for (let found = true; found; ) {
    found = false
    for (const round of smaller(failure.round)) {
      const text = JSON.stringify(round)
      if (seen.has(text)) continue
      seen.add(text)
      found = (await fails(round)) > 0
      if (found) break
    }
  }
}

/**
 * The host of the rounds; a new one where the last one is gone.
 *
 * @param {import('../../scripts/runtimes.mjs').Runtime} runtime
 * @param {keyof typeof programs} program
 * @param {number | undefined} user
 */
function createStage(runtime, program, user) {
  /** @type {import('../chaos/host.mjs').ChaosHost | undefined} */
  let host
  const close = async () => {
    await host?.close()
    host = undefined
  }
  return {
    close,
    async perform(/** @type {Round} */ round, /** @type {number} */ patience) {
      host ??= await startHost(runtime, programs[program], user)
      const { fault } = round
      const execs = fault.type === 'ending' && fault.how === 'execve'
      const fitting =
        execs && !hasExecve(runtime)
          ? { ...round, fault: { ...fault, how: /** @type {const} */ ('exit') } }
          : round
      const outcome = await runRound(host, fitting, {
        hasty: true,
        name: 'properties',
        ...(patience === undefined ? {} : { patience }),
      })
      if (!outcome.hostIsWell) await close()
      return outcome
    },
  }
}
