// What is looked at once a round's fault has come: those that nothing was done to run on, nothing is left, the
// runtime's own child is unhurt, and no descriptor stays open.

import { mayBeHungUp } from '../properties/script.mjs'
import { ANSWER } from './faults.mjs'
import { lastOf, NOISE } from './gone.mjs'
import {
  childrenOf,
  describe,
  descriptorsOf,
  end,
  isAlive,
  isSupervisor,
  SPARE_KEEPER,
  see,
  signal,
} from './look.mjs'
import { targetsOf } from './plan.mjs'
import { shapeOf } from './shapes.mjs'

/** That a runtime opens for itself at any time: a worker of Deno has four. And the lease of a keeper that waits. */
const OWN_DESCRIPTORS = 6

/** @typedef {import('./gone.mjs').Stage} Stage */

/**
 * The trees that nothing was done to run on.
 *
 * @param {Stage} stage
 */
export function checkOthersRun(stage) {
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
 * A dead host leaves nothing; a living one has at most its supervisor, and no zombie.
 *
 * @param {Stage} stage
 */
export async function checkNothingLeft(stage) {
  const { host, watch, fail } = stage
  /** @type {string[]} */
  let zombies = []
  const strays = () => {
    const living = watch.living()
    if (!host.isRunning()) return living
    const children = childrenOf(host.pid)
    zombies = children.filter(({ state }) => state === 'Z').map(describe)
    const supervisor = children.find(isSupervisor)
    // One keeper may wait for the next command.
    return living.filter(
      ({ pid, comm }) => pid !== host.pid && pid !== supervisor?.pid && comm !== SPARE_KEEPER,
    )
  }
  const left = await lastOf(strays, () => NOISE)
  if (left.length > 0) fail(`left at the end of the round:\n    ${left.map(describe).join('\n    ')}`)
  for (const each of left) end(each)
  if (zombies.length > 0 && !(await watch.until(() => strays().length === 0 && zombies.length === 0, NOISE)))
    fail(`zombies of the host: ${zombies.join('; ')}`)
}

/**
 * A child that the host has started by the runtime's own means is nobody's business: nobody hits it, and its status
 * comes to the runtime, which starts another one then.
 *
 * @param {Stage} stage
 */
export async function checkBystander({ host, watch, fail }) {
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

/** Databases that Deno opens when it likes; modules that a worker of Node's was reading when it was terminated. */
const RUNTIMES_OWN = /(_cache_v\d+(-\w+)?|\.m?js)$/

/**
 * What a round has opened in its host is closed after it. The first one may open what stays.
 *
 * @param {Stage} stage
 */
export async function checkDescriptors({ host, watch, fail }) {
  if (!host.isRunning()) return
  const open = () =>
    descriptorsOf(host.pid)
      .filter((link) => !RUNTIMES_OWN.test(link))
      .sort()
  host.descriptors ??= open()
  const most = host.descriptors.length + OWN_DESCRIPTORS
  if (!(await watch.until(() => open().length <= most, NOISE))) {
    fail(
      `descriptors that the host had open: ${host.descriptors.join(' ')}; that it has: ${open().join(' ')}`,
    )
  }
}
