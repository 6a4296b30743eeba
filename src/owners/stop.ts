// Stopping what an owner has: chosen trees, or all of them for good. Both only ask: each keeper carries its stop out.

import type { Tree } from '../tree.js'
import type { Settlement } from '../types.js'
import { deepestFirst, leave, type OwnerNode, ownerPath, treesOf } from './node.js'
import type { Release, ReleasedTree } from './types.js'

export async function stopTrees(
  trees: readonly Tree[],
  budget: number | undefined,
  why: string | undefined,
): Promise<Settlement[]> {
  for (const tree of trees) tree.stop(budget ?? tree.plan.budget, 'stop', why)
  const settlements = await Promise.all(trees.map(endOf))
  return settlements.filter((settlement) => settlement !== null)
}

/** Closes the whole subtree before the first stop is sent, so that nothing can slip in meanwhile. */
export function releaseNode(
  node: OwnerNode,
  siblingsOf: (node: OwnerNode) => Map<string, OwnerNode>,
  budget: number,
  why: string | undefined,
): Promise<Release> {
  const began = performance.now()
  const remaining = (): number => Math.max(0, began + budget - performance.now())
  const below = deepestFirst(node)
  for (const each of below) if (each.state === 'open') each.state = 'releasing'
  for (const each of below) {
    for (const tree of each.trees.values()) tree.stop(remaining(), 'owner-released', why)
  }
  // An owner below is released by this too: who calls its release() joins.
  for (const each of below) each.release ??= finish(each, siblingsOf(each), began)
  return node.release ?? finish(node, siblingsOf(node), began)
}

async function finish(node: OwnerNode, siblings: Map<string, OwnerNode>, began: number): Promise<Release> {
  const trees = await Promise.all(treesOf(node, true).map(releasedTree))
  leave(node, siblings)
  const ended = trees.filter((tree) => tree !== null)
  const isEmpty = ended.every(({ settlement }) => settlement.outcome === 'empty')
  return {
    owner: node.path,
    outcome: isEmpty ? 'empty' : 'survivors',
    trees: ended,
    elapsed: performance.now() - began,
  }
}

async function releasedTree(tree: Tree): Promise<ReleasedTree | null> {
  const owner = ownerPath(tree)
  const settlement = await endOf(tree)
  const { kind = null, label = null } = tree.plan
  return settlement && { id: tree.id, pid: tree.pid(), owner, kind, label, settlement }
}

/** `null` for a tree whose start has failed: there was nothing to stop. */
async function endOf(tree: Tree): Promise<Settlement | null> {
  try {
    await tree.started
  } catch {
    return null
  }
  return tree.settled
}
