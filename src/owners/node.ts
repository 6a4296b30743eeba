// The hierarchy of owners, and which tree belongs to whom. A tree is in here from the moment that its start is asked
// for until nothing of it is left, so that no release can miss one. It decides nothing: what is stopped is said in
// stop.ts and release.ts.

import { InvalidOptionError, OwnerReleasedError } from '../errors.js'
import type { Tree } from '../tree.js'
import type { Kinds } from './kinds.js'
import type { Owner, Release } from './types.js'

/** `open`: takes what comes. `releasing`: takes nothing, its trees are being stopped. `released`: its id is free. */
export type OwnerState = 'open' | 'releasing' | 'released'

export interface OwnerNode {
  readonly id: string
  /** Ids from the root down, its own the last. */
  readonly path: readonly string[]
  readonly parent: OwnerNode | null
  readonly budget: number
  readonly kinds: Kinds
  /** Those whose id is taken. */
  readonly children: Map<string, OwnerNode>
  /** Released children that still have survivors. */
  readonly leaving: Set<OwnerNode>
  readonly trees: Map<string, Tree>
  /** The last trees that left a log, by id. */
  readonly logs: Map<string, Tree>
  state: OwnerState
  release: Promise<Release> | undefined
}

/** Logs of ended trees that an owner still knows by id. */
const MOST_LOGS = 100

const nodes = new WeakMap<object, OwnerNode>()
const owners = new WeakMap<Tree, OwnerNode>()

/** Ties the public face to its node. */
export function setNode(owner: Owner, node: OwnerNode): void {
  nodes.set(owner, node)
}

/** The node behind an option's or argument's value. */
export function nodeOf(owner: unknown, option: string): OwnerNode {
  const node = typeof owner === 'object' && owner !== null ? nodes.get(owner) : undefined
  if (node !== undefined) return node
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_TYPE',
    option,
    must: 'be an owner',
    value: owner,
    fix: 'Pass what createOwner() or child() gave',
  })
}

export function ownerOf(tree: Tree): OwnerNode | undefined {
  return owners.get(tree)
}

/** Empty when nobody owns the tree. */
export function ownerPath(tree: Tree): readonly string[] {
  return owners.get(tree)?.path ?? []
}

/** A release has begun, if not ended. */
export function isReleased(node: OwnerNode): boolean {
  return node.state !== 'open'
}

/** Before anything is given to an owner. */
export function checkOpen(node: OwnerNode): void {
  if (isReleased(node)) throw releasedError(node)
}

/** Before an owner is asked: one that is released and empty has nothing to say, and its id may be another's. */
export function checkHasTrees(node: OwnerNode): void {
  if (node.state === 'released' && !holdsTrees(node)) throw releasedError(node)
}

export function releasedError(node: OwnerNode): OwnerReleasedError {
  return new OwnerReleasedError(`Owner ${node.path.join(' > ')} was released`, {
    code: 'ERR_PROCLEASH_OWNER_RELEASED',
    value: node.path,
    fix: 'Create a new owner for new work, or give it to one that lives longer',
  })
}

/** The node and all below it, the deepest first. */
export function deepestFirst(node: OwnerNode): readonly OwnerNode[] {
  const found = [node]
  for (const each of found) found.push(...each.children.values(), ...each.leaving)
  // Found level by level, so the order needs only to be turned round.
  return found.reverse()
}

/** Trees of the node and, unless told otherwise, of all below it; the oldest first. */
export function treesOf(node: OwnerNode, recursive: boolean): readonly Tree[] {
  const among = recursive ? deepestFirst(node) : [node]
  return among.flatMap((each) => [...each.trees.values()]).sort((a, b) => a.requestedAt - b.requestedAt)
}

/** From the request on. It leaves by itself when its start fails or nothing of it is left. */
export function own(node: OwnerNode, tree: Tree): void {
  owners.set(tree, node)
  node.trees.set(tree.id, tree)
  void tree.started.catch(() => drop(tree))
  void tree.gone.then(() => {
    keepLog(tree)
    drop(tree)
  })
}

/** `false` when nothing of the tree is left to be moved. */
export function move(tree: Tree, to: OwnerNode): boolean {
  if (tree.state() === 'ended') return false
  const from = owners.get(tree)
  if (from === undefined) {
    own(to, tree)
    return true
  }
  from.trees.delete(tree.id)
  to.trees.set(tree.id, tree)
  owners.set(tree, to)
  return true
}

function drop(tree: Tree): void {
  const node = owners.get(tree)
  node?.trees.delete(tree.id)
  if (node !== undefined) leaveIfEmpty(node)
}

function keepLog(tree: Tree): void {
  const node = owners.get(tree)
  if (node === undefined || node.state !== 'open' || tree.plan.log === undefined) return
  node.logs.set(tree.id, tree)
  const [oldest] = node.logs.keys()
  if (node.logs.size > MOST_LOGS && oldest !== undefined) node.logs.delete(oldest)
}

/** Called at the end of a release: frees the id, and stays in sight of the parent only while something is left. */
export function leave(node: OwnerNode, siblings: Map<string, OwnerNode>): void {
  node.state = 'released'
  node.logs.clear()
  if (siblings.get(node.id) === node) siblings.delete(node.id)
  if (holdsTrees(node)) node.parent?.leaving.add(node)
}

function leaveIfEmpty(node: OwnerNode): void {
  if (node.state !== 'released' || holdsTrees(node) || node.parent === null) return
  if (node.parent.leaving.delete(node)) leaveIfEmpty(node.parent)
}

function holdsTrees(node: OwnerNode): boolean {
  return node.trees.size > 0 || node.children.size > 0 || node.leaving.size > 0
}
