// Waiting for trees to be gone, and for how long at most. What is still there then is a failure, and is ended.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { standingOf } from '../properties/script.mjs'
import { describe, end, isAlive } from './look.mjs'
import { targetsOf } from './plan.mjs'
import { shapeOf } from './shapes.mjs'

/** Milliseconds that a busy machine may add to a budget. G2 and G4 are measured elsewhere. */
export const NOISE = 2500
/** Milliseconds after a budget. What is still there then is not late, but left. */
export const PATIENCE = NOISE + 4000
/** For a round that has failed already. */
const IMPATIENCE = 300

/**
 * @typedef {object} Stage What the functions of a round share.
 * @property {import('./host.mjs').ChaosHost} host
 * @property {import('./plan.mjs').Round} round
 * @property {string} folder
 * @property {import('./watch.mjs').Watch} watch
 * @property {(text: string) => void} fail
 * @property {number} patience Milliseconds after a budget at which what is still there counts as left.
 * @property {boolean} hasty Once it has failed, it needs no second reason.
 * @property {number | null} beyond
 */

/**
 * @param {Stage} stage
 * @param {readonly number[]} indices
 */
export function startedOf({ watch }, indices) {
  return new Set(indices.filter((index) => watch.started.has(index)))
}

/**
 * Those of them that have started and all come to rest, as far as their scripts tell.
 *
 * @param {Stage} stage
 */
export function standing({ round, watch, folder }) {
  return round.trees.filter(
    ({ index, script }) =>
      script !== undefined &&
      watch.started.has(index) &&
      !watch.isOver(index) &&
      restedIn(folder, index) === standingOf(script).members.length,
  )
}

/**
 * How many processes of a scripted tree have come to rest, or have ended by themselves.
 *
 * @param {string} folder
 * @param {number} index
 */
export function restedIn(folder, index) {
  return statSync(join(folder, `at.${index}`), { throwIfNoEntry: false })?.size ?? 0
}

/** @param {Stage} stage */
export const restingOf = (stage) => standing(stage).map(({ index }) => index)

/** @param {Stage} stage */
export function withTimeout(stage) {
  const { trees, before, fault } = stage.round
  const actions = [before?.action, 'action' in fault ? fault.action : null]
  const signalled = actions.flatMap((action) =>
    action?.how === 'kill' ? targetsOf(stage.round, action) : [],
  )
  // What a command has left on purpose is no matter of its time limit any more.
  const timed = trees
    .filter(({ timeout }) => timeout !== null)
    .filter((tree) => tree.leftovers === 'stop' || (shapeOf(tree).lasting && !signalled.includes(tree.index)))
    .map(({ index }) => index)
  return startedOf(stage, timed)
}

/**
 * The milliseconds that these trees may take, whoever ends them.
 *
 * @param {Stage} stage
 * @param {ReadonlySet<number>} [indices] All of them.
 * @param {import('./plan.mjs').Action} [action]
 */
export function longest({ round }, indices, action) {
  const own = round.trees
    .filter(({ index }) => indices === undefined || indices.has(index))
    .map(({ budget, timeout }) => budget + (indices === undefined ? 0 : (timeout ?? 0)))
  return Math.max(0, ...own, action !== undefined && 'budget' in action ? (action.budget ?? 0) : 0)
}

/**
 * Waits until nothing of these trees is alive; of the host and of all its trees, when none are named.
 *
 * @param {Stage} stage
 * @param {ReadonlySet<number> | undefined} indices
 * @param {number} budget
 * @param {string} why
 */
export async function untilGone(stage, indices, budget, why) {
  const { watch, fail } = stage
  if (indices?.size === 0) return
  const began = performance.now()
  const patience = () => (stage.hasty && watch.problems.length > 0 ? IMPATIENCE : budget + stage.patience)
  const left = await lastOf(() => promised(stage, watch.living(indices)), patience)
  const beyond = performance.now() - began - budget
  stage.beyond = Math.max(stage.beyond ?? -Infinity, beyond)
  if (left.length > 0) {
    fail(`left ${Math.round(beyond)} ms after the budget (${why}):\n    ${left.map(describe).join('\n    ')}`)
    for (const each of left) end(each)
  } else if (beyond > NOISE) {
    fail(`gone only ${Math.round(beyond)} ms after the budget of ${budget} ms (${why})`)
  }
}

/**
 * What is left when the time is over: nothing, when two looks in a row have found nothing. A list of /proc is no
 * snapshot: one that forks and ends all the time is easily missed.
 *
 * @param {() => import('./look.mjs').Carrier[]} look
 * @param {() => number} most Milliseconds.
 */
export async function lastOf(look, most) {
  const began = performance.now()
  const isOver = () => performance.now() > began + most()
  for (let empty = 0; ; ) {
    const left = look()
    empty = left.length === 0 ? empty + 1 : 0
    if (empty === 2) return []
    if (isOver()) return left
    // A full look is dear: as long as one of these lives there is no need for it.
    do await pause(4)
    while (left.some(isAlive) && !isOver())
  }
}

/**
 * The host that has become another program is none of ours any more.
 *
 * @param {Stage} stage
 * @param {import('./look.mjs').Carrier[]} living
 */
function promised({ host, round: { fault } }, living) {
  const execs = fault.type === 'ending' && fault.how === 'execve'
  return execs ? living.filter(({ pid }) => pid !== host.pid) : living
}
