// One round: trees are started, a fault comes, and then the looks: nothing that had to go is left, nobody else's trees
// were touched, and what the host said is true.

import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { checkBystander, checkDescriptors, checkNothingLeft, checkOthersRun } from './checks.mjs'
import { ANSWER, strike } from './faults.mjs'
import { NOISE, PATIENCE, restedIn, restingOf, standing } from './gone.mjs'
import { end, TREE_VARIABLE } from './look.mjs'
import { hostSurvives } from './plan.mjs'
import { scriptedProgram, shapeOf } from './shapes.mjs'
import { createWatch } from './watch.mjs'

const FINISH_BUDGET = 150
/** Milliseconds for scripts of a few hundredths of a second. */
const REST = 3000

/**
 * @typedef {import('./gone.mjs').Stage} Stage
 * @typedef {import('./plan.mjs').Round} Round
 * @typedef {object} Outcome
 * @property {string[]} problems
 * @property {number} trees That were started.
 * @property {number} processes That had come to rest or ended by themselves, in scripted trees.
 * @property {number | null} beyond Milliseconds after the longest budget when the last process was gone.
 * @property {number} outside Processes that are outside of what is promised, and were ended here.
 * @property {boolean} hostIsWell Another round may have it.
 * @property {boolean} stood Its trees had come to rest when something was done to them, as it was planned.
 */

/**
 * @param {import('./host.mjs').ChaosHost} host
 * @param {Round} round
 * @param {object} [options]
 * @param {string} [options.name] Of its folder.
 * @param {boolean} [options.hasty] One problem is enough, others are not waited for.
 * @param {number} [options.patience] Milliseconds after a budget at which what is still there counts as left.
 * @returns {Promise<Outcome>}
 */
export async function runRound(host, round, { hasty = false, patience = PATIENCE, name = 'chaos' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), `procleash-${name}-`))
  // A tree may be anybody's.
  chmodSync(folder, 0o777)
  const watch = createWatch(host, round, folder)
  /** @type {Stage} */
  const stage = {
    host,
    round,
    folder,
    watch,
    fail: (text) => watch.problems.push(text),
    hasty,
    patience,
    beyond: null,
  }
  let outside = 0
  let stood = true
  let processes = 0
  try {
    begin(stage)
    stood = await untilMoment(stage)
    await startBefore(stage)
    await strike(stage)
    if (hostSurvives(round)) {
      checkOthersRun(stage)
      await finish(stage)
    }
    outside = endOutside(stage)
    await checkNothingLeft(stage)
    await checkBystander(stage)
    await checkDescriptors(stage)
    watch.lookForLies()
  } finally {
    watch.close()
    processes = processesOf(stage)
    // Trees of test/trees/ end when their folder is gone.
    await remove(folder)
  }
  return {
    problems: [...new Set(watch.problems)],
    trees: watch.started.size,
    processes,
    beyond: stage.beyond,
    outside,
    stood,
    hostIsWell: host.isRunning() && watch.problems.length === 0 && hostSurvives(round),
  }
}

/** @param {Stage} stage */
function begin({ host, round, folder }) {
  const planned = round.trees.map((tree) => {
    const dir = join(folder, `tree-${tree.index}`)
    mkdirSync(dir)
    const env = {
      [TREE_VARIABLE]: `${round.number}.${tree.index}`,
      CHAOS_DIR: folder,
      CHAOS_INDEX: String(tree.index),
      TREE_DIR: dir,
    }
    const { file, args } = shapeOf(tree)
    return { ...tree, file, args, env }
  })
  if (round.trees.some(({ script = '' }) => script.split(' ').includes('root'))) plantRoot(folder)
  host.tell('begin', { planned, plannedOwners: round.owners })
}

/** @param {string} folder */
function plantRoot(folder) {
  const file = join(folder, 'root')
  copyFileSync(scriptedProgram(), file)
  chmodSync(file, 0o4755)
}

/**
 * @param {Stage} stage
 * @returns {Promise<boolean>} Whether the scripts have been carried out, where that was to be waited for.
 */
async function untilMoment(stage) {
  const { round, watch, fail } = stage
  const { when, delay } = round.moment
  let stood = true
  if (when === 'standing') {
    // A run is not told before its end.
    const awaited = round.trees.filter(({ way }) => way === 'spawn')
    const started = () => awaited.every(({ index }) => watch.started.has(index) || watch.isOver(index))
    if (!(await watch.until(started, ANSWER))) fail(`not all trees stand after ${ANSWER} ms`)
    const scripted = awaited.filter(({ script }) => script !== undefined)
    const atRest = () => {
      const resting = standing(stage)
      return scripted.every((tree) => watch.isOver(tree.index) || resting.includes(tree))
    }
    // One that is stopped, or hit by a signal, before it has come to rest, never does.
    stood = await watch.until(atRest, REST)
  }
  await pause(delay)
  return stood
}

/** @param {Stage} stage */
async function startBefore(stage) {
  const { host, round, watch } = stage
  if (round.before === null) return
  const { action, lead } = round.before
  watch.announce(action, restingOf(stage))
  host.tell('act', { action })
  await pause(lead)
}

/**
 * What is left of the round is stopped, and every tree has to be settled then.
 *
 * @param {Stage} stage
 */
async function finish(stage) {
  const { host, round, watch, fail } = stage
  for (const reason of ['stop', 'abort', 'owner-released']) watch.mayEndAll(reason)
  watch.announceFinish(restingOf(stage))
  host.tell('finish', { budget: FINISH_BUDGET })
  const finished = await watch.event('finished', FINISH_BUDGET + PATIENCE)
  if (!host.isRunning())
    return fail(`the host has ended, ${JSON.stringify(await host.ended)}:\n${host.stderr()}`)
  const workerEnded = round.fault.type === 'worker'
  const open = round.trees.filter(
    ({ index, thread }) => !watch.isOver(index) && !(workerEnded && thread === 'worker'),
  )
  if (!finished) {
    // Whether it hangs, or has only not been told.
    host.tell('ping')
    const answers = (await watch.event('pong', NOISE)) ? 'which answers' : 'which does not answer either'
    const missing = open.map(({ index }) => index).join(' ')
    fail(`the host, ${answers}, does not finish; not settled: ${missing}`)
  } else if (open.length > 0) fail(`finished without an end of the trees ${open.map(({ index }) => index)}`)
  else if (!(await watch.until(() => watch.unclosed().length === 0, hasFailed(stage) ? NOISE : ANSWER)))
    fail(`settled, and their pipes are not closed: trees ${watch.unclosed()}`)
  watch.judgeOutputs()
}

/** @param {Stage} stage */
const hasFailed = ({ hasty, watch }) => hasty && watch.problems.length > 0

/** @param {Stage} stage */
function processesOf({ round, folder }) {
  return round.trees.reduce((sum, { index }) => sum + restedIn(folder, index), 0)
}

/** @param {Stage} stage */
function endOutside({ watch }) {
  const outside = watch.outside()
  for (const each of outside) end(each)
  return outside.length
}

/**
 * Trees of test/trees/ end when their folder is gone. Until then one that is left may write into it.
 *
 * @param {string} folder
 */
async function remove(folder) {
  for (let tries = 1; ; tries += 1) {
    try {
      rmSync(folder, { recursive: true, force: true })
      return
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOTEMPTY' || tries === 100) throw error
      await pause(20)
    }
  }
}
