// The way of every command into the world, whoever asks: spawn, run, and an owner's own.

import { onAbort } from './abort.js'
import { getEngine } from './engine.js'
import { AbortError } from './errors.js'
import { publishLife } from './events.js'
import type { SpawnPlan } from './options.js'
import { checkOpen, own } from './owners/node.js'
import type { Tree } from './tree.js'

/** Sends the request and ties the tree to its abort signal. Throws a typed error when nothing was sent. */
export function launch(plan: SpawnPlan): Tree {
  const { signal, owner } = plan
  if (signal?.aborted) throw new AbortError(signal.reason)
  if (owner !== null) checkOpen(owner)
  const engine = getEngine()
  engine.checkGrade(plan)
  const tree = engine.startTree(plan)
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
