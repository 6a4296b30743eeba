// The way of every command into the world, whoever asks: spawn, run, and an owner's own.

import { onAbort } from './abort.js'
import { gradeOf } from './capabilities.js'
import { AbortError, GradeError } from './errors.js'
import { publishLife } from './events.js'
import type { SpawnPlan } from './options.js'
import { checkOpen, own } from './owners/node.js'
import { getReactor, type Reactor } from './reactor.js'
import { startTree, type Tree } from './tree.js'
import type { Grade } from './types.js'

/** Sends the request and ties the tree to its abort signal. Throws a typed error when nothing was sent. */
export function launch(plan: SpawnPlan): Tree {
  const { signal, owner } = plan
  if (signal?.aborted) throw new AbortError(signal.reason)
  if (owner !== null) checkOpen(owner)
  const reactor = getReactor()
  if (plan.require !== undefined) checkGrade(reactor, plan.require)
  const tree = startTree(reactor, plan)
  if (owner !== null) own(owner, tree)
  publishLife(tree)
  if (signal !== undefined) stopOnAbort(tree, signal)
  return tree
}

/** The command's pid. An abort takes precedence over the error that a start ended with: the caller knows of it. */
export async function pidOf(tree: Tree): Promise<number> {
  const { signal } = tree.plan
  try {
    return await tree.started
  } catch (error) {
    throw signal?.aborted ? new AbortError(signal.reason) : error
  }
}

function stopOnAbort(tree: Tree, signal: AbortSignal): void {
  const leave = onAbort(signal, () => tree.stop(tree.plan.budget, 'abort'))
  void tree.started.catch(leave)
  void tree.settled.then(leave)
}

const order: readonly Grade[] = ['group', 'tree', 'cgroup']

function checkGrade(reactor: Reactor, required: Grade): void {
  const { strongest, reasons } = gradeOf(reactor.native)
  if (order.indexOf(strongest) >= order.indexOf(required)) return
  throw new GradeError(
    `Grade '${required}' is required, '${strongest}' is the highest that can be had here`,
    {
      code: 'ERR_PROCLEASH_GRADE',
      value: required,
      fix: `Require less, or provide what is missing: ${reasons.join('; ')}`,
    },
  )
}
