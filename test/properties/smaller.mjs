// Smaller rounds than one that fails, the much smaller ones first. fast-check's own way of making values smaller knows
// nothing of trees: it can't put what is in a block into the place of the block.

import { fitting } from './arbitrary.mjs'
import { parseAsWritten, scriptOf } from './script.mjs'

/**
 * @typedef {import('../chaos/plan.mjs').Round} Round
 * @typedef {import('../chaos/plan.mjs').PlannedTree} PlannedTree
 * @typedef {import('./script.mjs').Step} Step
 */

/**
 * @param {Round} round
 * @returns {Generator<Round>}
 */
export function* smaller(round) {
  const { trees } = round
  if (trees.length > 1) {
    for (const { index } of trees) yield only(round, [index])
    for (const { index } of trees) yield only(round, without(trees, index))
  }
  yield* simpler(round)
  for (const [at, tree] of trees.entries()) {
    for (const other of [...smallerScripts(tree), ...plainer(tree)])
      yield fitting({ ...round, trees: trees.with(at, other) })
  }
}

/** @param {readonly PlannedTree[]} trees @param {number} index */
const without = (trees, index) => trees.map((tree) => tree.index).filter((each) => each !== index)

/** The round with these trees alone. @param {Round} round @param {number[]} indices */
function only(round, indices) {
  const rename = (/** @type {import('../chaos/plan.mjs').Action} */ action) =>
    'trees' in action
      ? {
          ...action,
          trees: action.trees.map((index) => indices.indexOf(index)).filter((index) => index >= 0),
        }
      : action
  const { before, fault } = round
  return fitting({
    ...round,
    trees: indices.flatMap((index) => round.trees[index] ?? []),
    before: before === null ? null : { ...before, action: rename(before.action) },
    fault: 'action' in fault && fault.action !== null ? { ...fault, action: rename(fault.action) } : fault,
  })
}

/** @param {Round} round @returns {Generator<Round>} */
function* simpler(round) {
  const all = round.trees.map(({ index }) => index)
  /** @type {Round['fault']} */
  const stop = { type: 'action', action: { how: 'stop', trees: all, budget: null } }
  const changes = [{ before: null }, { fault: stop }, { moment: { when: 'standing', delay: 0 } }]
  for (const change of changes) {
    const candidate = fitting(/** @type {Round} */ ({ ...round, ...change }))
    if (JSON.stringify(candidate) !== JSON.stringify(round)) yield candidate
  }
}

/** @param {PlannedTree} tree @returns {PlannedTree[]} */
function smallerScripts(tree) {
  const steps = parseAsWritten(tree.script ?? '')
  return smallerSteps(steps).map((each) => ({ ...tree, script: scriptOf(each) }))
}

/** @param {Step[]} steps @returns {Step[][]} */
function smallerSteps(steps) {
  const alone = steps.filter(({ block }) => block.length > 0).map(({ block }) => block)
  const dropped = steps.map((_, at) => steps.toSpliced(at, 1))
  const inner = steps.flatMap((step, at) => [
    ...(step.block.length > 0 ? [steps.toSpliced(at, 1, ...step.block)] : []),
    ...smallerSteps(step.block).map((block) => steps.with(at, { ...step, block })),
  ])
  return [...(steps.length > 0 ? [[]] : []), ...alone, ...dropped, ...inner]
}

/** With what is usual in the place of what was chosen. @param {PlannedTree} tree @returns {PlannedTree[]} */
function plainer(tree) {
  /** @type {Partial<PlannedTree>[]} */
  const usual = [
    { way: 'spawn' },
    { timeout: null },
    { delay: 0 },
    { leftovers: 'stop' },
    { owner: null },
    { output: 'read' },
  ]
  return usual
    .filter((change) =>
      Object.entries(change).some(([name, value]) => tree[/** @type {'way'} */ (name)] !== value),
    )
    .map((change) => ({ ...tree, ...change }))
}
