// One round: trees are started, a fault comes, and then the looks: nothing that had to go is left, nobody else's trees
// were touched, and what the host said is true.

import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { mayBeHungUp } from '../properties/script.mjs'
import { ANSWER, strike } from './faults.mjs'
import { lastOf, NOISE, PATIENCE, restedIn, restingOf, standing } from './gone.mjs'
import { childrenOf, describe, end, isAlive, see, signal, TREE_VARIABLE } from './look.mjs'
import { hostSurvives, targetsOf } from './plan.mjs'
import { scriptedProgram, shapeOf } from './shapes.mjs'
import { createWatch } from './watch.mjs'

const FINISH_BUDGET = 150
/** That a runtime opens for itself at any time: a worker of Deno has four. And the lease of a keeper that waits. */
const OWN_DESCRIPTORS = 6
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
 * What a round has opened in its host is closed after it. The first one may open what stays.
 *
 * @param {Stage} stage
 */
async function checkDescriptors({ host, watch, fail }) {
  if (!host.isRunning()) return
  const open = () =>
    kindsOf(readdirSync(`/proc/${host.pid}/fd`).map((fd) => linkOf(`/proc/${host.pid}/fd/${fd}`)))
  host.descriptors ??= open()
  const most = host.descriptors.length + OWN_DESCRIPTORS
  if (!(await watch.until(() => open().length <= most, NOISE))) {
    fail(
      `descriptors that the host had open: ${host.descriptors.join(' ')}; that it has: ${open().join(' ')}`,
    )
  }
}

/** Without the numbers of sockets and pipes, sorted. @param {readonly string[]} links */
function kindsOf(links) {
  return links.map((link) => link.replace(/:\[\d+\]$/, '')).sort()
}

/** @param {string} path */
function linkOf(path) {
  try {
    return readlinkSync(path)
  } catch {
    return 'closed meanwhile'
  }
}

/**
 * The trees that nothing was done to run on.
 *
 * @param {Stage} stage
 */
function checkOthersRun(stage) {
  const { round, watch, host, fail } = stage
  const touched = new Set([
    ...touchedBy(stage),
    ...(round.before === null ? [] : targetsOf(round, round.before.action)),
  ])
  const expected = round.trees.filter(
    (tree) =>
      shapeOf(tree).lasting &&
      tree.timeout === null &&
      !mayBeHungUp(tree.script ?? '') &&
      watch.started.has(tree.index) &&
      !touched.has(tree.index),
  )
  if (!host.isRunning()) return
  for (const { index, shape } of expected) {
    const pid = watch.started.get(index) ?? 0
    const seen = see(pid)
    if (watch.isOver(index) || seen === undefined || seen.state === 'Z')
      fail(`tree ${index} (${shape}) was hit as well`)
  }
}

/**
 * @param {Stage} stage
 * @returns {number[]}
 */
function touchedBy({ round, watch }) {
  const { fault } = round
  switch (fault.type) {
    case 'action':
      return targetsOf(round, fault.action)
    case 'blocked':
      return fault.action === null ? [] : targetsOf(round, fault.action)
    case 'worker':
      return round.trees.filter(({ thread }) => thread === 'worker').map(({ index }) => index)
    case 'loss':
      // Those whose reasons say so are the ones that were hit.
      return round.trees.map(({ index }) => index).filter((index) => watch.mayHaveLost(index))
    default:
      return []
  }
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

/**
 * A child that the host has started by the runtime's own means is nobody's business: nobody hits it, and its status
 * comes to the runtime, which starts another one then.
 *
 * @param {Stage} stage
 */
async function checkBystander({ host, watch, fail }) {
  const { bystander } = host
  if (bystander === undefined) return
  if (!isAlive(bystander)) fail(`hit, though it is of no tree: the host's other child, ${bystander.pid}`)
  signal(bystander, 'SIGUSR1')
  if (!host.isRunning()) return
  if (!(await watch.event('bystander ended', ANSWER)))
    return fail("the runtime's own child has ended unheard")
  const told = watch.events().find(({ event }) => event === 'bystander ended')
  if (told?.signal !== 'SIGUSR1') fail(`the runtime's own child ended with ${JSON.stringify(told)}`)
  if (!(await watch.until(() => host.bystander !== bystander, ANSWER))) fail('the host starts no other child')
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
 * A dead host leaves nothing; a living one has at most its supervisor, and no zombie.
 *
 * @param {Stage} stage
 */
async function checkNothingLeft(stage) {
  const { host, watch, fail } = stage
  /** @type {string[]} */
  let zombies = []
  const strays = () => {
    const living = watch.living()
    if (!host.isRunning()) return living
    const children = childrenOf(host.pid)
    zombies = children.filter(({ state }) => state === 'Z').map(describe)
    const supervisor = children.find(({ comm, state }) => comm === 'procleash-super' && state !== 'Z')
    // One keeper may wait for the next command.
    return living.filter(
      ({ pid, comm }) => pid !== host.pid && pid !== supervisor?.pid && comm !== 'procleash-idle',
    )
  }
  const left = await lastOf(strays, () => NOISE)
  if (left.length > 0) fail(`left at the end of the round:\n    ${left.map(describe).join('\n    ')}`)
  for (const each of left) end(each)
  if (zombies.length > 0 && !(await watch.until(() => strays().length === 0 && zombies.length === 0, NOISE)))
    fail(`zombies of the host: ${zombies.join('; ')}`)
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
