// createOwner(): the public face of a node of the hierarchy.

import { InvalidOptionError, OwnerExistsError, UnknownTreeError } from '../errors.js'
import { checkBudget, checkReason, DEFAULT_BUDGET, type Defaults } from '../options.js'
import { runWith } from '../run.js'
import { spawnWith } from '../spawn.js'
import { subprocessOf } from '../subprocess.js'
import type { Tree } from '../tree.js'
import { checkNonEmptyString, checkObject } from '../validate.js'
import { DEFAULT_KINDS, type Kinds, kindsPlan } from './kinds.js'
import { isUnfinished, listTrees } from './list.js'
import { checkHasTrees, checkOpen, isReleased, type OwnerNode, setNode, treesOf } from './node.js'
import { releaseNode, stopTrees } from './stop.js'
import type { Owner, OwnerFilter, OwnerOptions, OwnerStopOptions, ReleaseOptions } from './types.js'

/** Milliseconds that a release may take when nobody says otherwise. */
export const DEFAULT_RELEASE_BUDGET = 3000

/** Of this thread. */
const roots = new Map<string, OwnerNode>()

/**
 * A new owner, with nobody above it. It lives until it is released: an owner that is never released keeps its id.
 *
 * @throws {OwnerExistsError} when an owner with this id lives and has no parent either: two are never merged.
 * @throws {InvalidOptionError} for an id or option that is not valid.
 */
export function createOwner(id: string, options: OwnerOptions = {}): Owner {
  const inherited = { budget: DEFAULT_RELEASE_BUDGET, kinds: DEFAULT_KINDS }
  return createFace(createNode(null, inherited, id, options), null)
}

/**
 * Trees of all owners of this thread.
 * @internal
 */
export function ownedTrees(): readonly Tree[] {
  return [...roots.values()].flatMap((root) => treesOf(root, true))
}

function siblingsOf({ parent }: OwnerNode): Map<string, OwnerNode> {
  return parent?.children ?? roots
}

function createNode(
  parent: OwnerNode | null,
  inherited: { readonly budget: number; readonly kinds: Kinds },
  id: string,
  options: OwnerOptions,
): OwnerNode {
  checkNonEmptyString(id, 'id')
  checkObject(options, 'options')
  const { budget = inherited.budget } = options
  checkBudget(budget)
  const node: OwnerNode = {
    id,
    path: Object.freeze([...(parent?.path ?? []), id]),
    parent,
    budget,
    kinds: kindsPlan(inherited.kinds, options.kinds),
    children: new Map(),
    leaving: new Set(),
    trees: new Map(),
    logs: new Map(),
    state: 'open',
    release: undefined,
  }
  const siblings = siblingsOf(node)
  const twin = siblings.get(id)
  if (twin !== undefined) throw existsError(twin)
  siblings.set(id, node)
  return node
}

function existsError(twin: OwnerNode): OwnerExistsError {
  const name = twin.path.join(' > ')
  return new OwnerExistsError(`There is an owner ${name} already`, {
    code: 'ERR_PROCLEASH_OWNER_EXISTS',
    value: twin.id,
    fix: isReleased(twin)
      ? 'It is being released: await its release() first'
      : 'Use that one, release it first, or choose another id',
  })
}

function createFace(node: OwnerNode, parent: Owner | null): Owner {
  const defaults: Defaults = { budget: DEFAULT_BUDGET, owner: node }

  const release = async (options: ReleaseOptions = {}): ReturnType<Owner['release']> => {
    checkObject(options, 'options')
    const { budget = node.budget, reason } = options
    checkBudget(budget)
    checkReason(reason)
    return releaseNode(node, siblingsOf, budget, reason)
  }

  const owner: Owner = {
    id: node.id,
    path: node.path,
    parent,
    get released() {
      return isReleased(node)
    },
    child: (id, options = {}) => {
      checkOpen(node)
      return createFace(createNode(node, node, id, options), owner)
    },
    spawn: (file, args, options) => spawnWith(defaults, file, args, options),
    run: ((file, args, options) => runWith(defaults, file, args, options)) as Owner['run'],
    list: async (filter) => listTrees(chosenTrees(node, filter)),
    unfinished: () => treesOf(node, true).some(isUnfinished),
    get: (id) => subprocessOf(findTree(node, id)),
    stop: async (options: OwnerStopOptions = {}) => {
      const trees = chosenTrees(node, options)
      const { budget, reason } = options
      if (budget !== undefined) checkBudget(budget)
      checkReason(reason)
      return stopTrees(trees, budget, reason)
    },
    release,
    [Symbol.asyncDispose]: async () => {
      await release()
    },
  }
  setNode(owner, node)
  return owner
}

function chosenTrees(node: OwnerNode, filter: OwnerFilter = {}): readonly Tree[] {
  checkObject(filter, 'options')
  const { kind, recursive = true } = filter
  if (kind !== undefined) checkNonEmptyString(kind, 'kind')
  checkRecursive(recursive)
  checkHasTrees(node)
  return treesOf(node, recursive).filter(({ plan }) => kind === undefined || plan.kind === kind)
}

/** Below this node, and nowhere else: an id of another owner is as unknown as one that never was. */
function findTree(node: OwnerNode, id: unknown): Tree {
  checkNonEmptyString(id, 'id')
  const tree = treesOf(node, true).find((each) => each.id === id)
  if (tree !== undefined && tree.pid() !== null) return tree
  throw new UnknownTreeError(`Owner ${node.path.join(' > ')} has no tree ${id}`, {
    code: 'ERR_PROCLEASH_UNKNOWN_TREE',
    value: id,
    fix: 'Take an id from list(); a tree that has ended is not listed any more',
  })
}

function checkRecursive(recursive: unknown): void {
  if (typeof recursive === 'boolean') return
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_TYPE',
    option: 'recursive',
    must: 'be true or false',
    value: recursive,
    fix: 'Leave it out for the owners below as well',
  })
}
