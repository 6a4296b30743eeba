// What a host says about a scripted tree, against what its script lets expect.

import { by, endOf, mayBecomeRoot, mayBeHungUp, ownEndsOf, standingOf, startsOf } from './script.mjs'

/** Milliseconds of a budget beyond which a tree that leaves at once has waited for a timer. */
export const PATIENT = 4000

/**
 * @typedef {import('../chaos/plan.mjs').PlannedTree} PlannedTree
 * @typedef {import('../chaos/judge.mjs').Told} Told
 */

/** @param {PlannedTree} tree */
const scriptOf = ({ script = '' }) => script

/** @param {PlannedTree} tree @param {string} text */
const complaint = (tree, text) => `tree ${tree.index} (${scriptOf(tree)}) ${text}`

/** @param {import('./script.mjs').Exit} a @param {import('./script.mjs').Exit} b */
const isSame = (a, b) => a.code === b.code && a.signal === b.signal

/**
 * Whenever a tree is stopped, its command ends by itself, by the stop, or by the signal that it was sent.
 *
 * @param {PlannedTree} tree
 * @param {Told} told
 * @param {NodeJS.Signals | undefined} signal
 */
export function judgeExit(tree, { exit, settlement }, signal) {
  const possible = ownEndsOf(scriptOf(tree))
  if (settlement.reason !== 'exit') possible.push(by('SIGTERM'), by('SIGKILL'))
  if (signal !== undefined) possible.push(by(signal))
  if (mayBeHungUp(scriptOf(tree))) possible.push(by('SIGHUP'))
  if (possible.some((end) => isSame(end, exit))) return []
  return [complaint(tree, `can't end with ${JSON.stringify(exit)} (${settlement.reason})`)]
}

/**
 * A tree whose processes had all come to rest when its stop began.
 *
 * @param {PlannedTree} tree
 * @param {Told} told
 * @param {number | null} budget That the stop named; null: the tree's own.
 * @param {boolean} mayEndAll The host is root.
 * @returns {string[]}
 */
export function judgeStanding(tree, { exit, settlement }, budget, mayEndAll) {
  const standing = standingOf(scriptOf(tree))
  const living = standing.members.filter(({ rest }) => typeof rest === 'string')
  const ends = living.map(endOf)
  /** @type {string[]} */
  const problems = []
  const say = (/** @type {string} */ text) => problems.push(complaint(tree, text))

  const { exits } = endOf(standing.command)
  if (!exits.some((end) => isSame(end, exit)))
    say(`ended with ${JSON.stringify(exit)}, not ${JSON.stringify(exits)}`)
  const needs = ends.map(({ needsKill }) => needsKill)
  if (needs.includes('yes') && !settlement.escalated) say('ended without SIGKILL, which it does not do')
  if (needs.every((need) => need === 'no') && budget === null && tree.budget >= PATIENT) {
    if (settlement.escalated) say(`obeys, and was killed after ${settlement.elapsed} ms`)
    if (settlement.elapsed > PATIENT - 500) say(`obeys, and took ${settlement.elapsed} ms`)
  }
  const [fewest, mostSurvivors] = mayEndAll ? [0, 0] : survivorsOf(tree)
  const named = settlement.survivors.length
  if (
    !mayHaveHungUp(standing) &&
    settlement.reason !== 'exit' &&
    (named < fewest || (mostSurvivors > 0 && named > mostSurvivors))
  )
    say(`has ${fewest} processes or more that may not be signalled, and ${named} survivors`)
  const least = mayHaveHungUp(standing) ? 0 : living.length - mostSurvivors
  const most = standing.births + later(standing)
  if (settlement.endedCount < least || settlement.endedCount > most)
    say(`had ${living.length} processes, and counts ${settlement.endedCount} (of ${most})`)
  return problems
}

/**
 * For a host that may not signal root: how many are to survive at least, and at most.
 *
 * @param {PlannedTree} tree
 * @returns {readonly [number, number]}
 */
export function survivorsOf(tree) {
  const { members } = standingOf(scriptOf(tree))
  const sure = members.filter(({ root, rest }) => root && rest === 'stays').length
  // Suspended ones go on when they are continued, and handlers may start others.
  const unsure = members.some((member) => mayBecomeRoot(member) || (member.root && member.rest !== 'stays'))
  return [
    sure,
    unsure || members.some((member) => member.root && startsAnything(member))
      ? Number.POSITIVE_INFINITY
      : sure,
  ]
}

/** @param {import('./script.mjs').Member} self */
const startsAnything = ({ later, answer }) =>
  startsOf([...later, ...(Array.isArray(answer) ? answer : [])]) > 0

/**
 * A group that has become an orphan is hung up when one of it is suspended: see kill_orphaned_pgrp() in the kernel's
 * exit.c. So not all that were at rest need to be there for the stop.
 *
 * @param {import('./script.mjs').Standing} standing
 */
function mayHaveHungUp({ members }) {
  return (
    members.some(({ rest }) => rest === 'suspended') && members.some(({ rest }) => typeof rest === 'object')
  )
}

/** Processes that the stop itself may make them start. @param {import('./script.mjs').Standing} standing */
function later({ members }) {
  const steps = members.flatMap(({ answer, later }) => [...later, ...(Array.isArray(answer) ? answer : [])])
  return startsOf(steps)
}

/**
 * What was written before the stop arrives.
 *
 * @param {PlannedTree} tree
 * @param {number} bytes
 * @param {'exit' | 'standing' | 'any'} state exit: the command has ended by itself.
 */
export function judgeOutput(tree, bytes, state) {
  const standing = standingOf(scriptOf(tree))
  const least = { exit: standing.command.bytes, standing: standing.bytes, any: 0 }[state]
  if (bytes >= least && bytes % 5 === 0) return []
  return [complaint(tree, `has written ${least} bytes at least, and ${bytes} have arrived`)]
}
