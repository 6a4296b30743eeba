// What the tools of one owner can reach. The one place that decides it: every tool finds its tree here.

import { InvalidOptionError, UnknownTreeError } from '../errors.js'
import { checkBudget } from '../options.js'
import { checkHasTrees, deepestFirst, nodeOf, type OwnerNode, treesOf } from '../owners/node.js'
import type { Owner } from '../owners/types.js'
import type { Tree } from '../tree.js'
import { checkCount, checkNonEmptyString, checkObject } from '../validate.js'
import type { ProcessToolsOptions } from './types.js'

/** What a model reads at a glance, rather than what a log can hold. */
const DEFAULT_MAX_BYTES = 16 * 1024
const LARGEST_MAX_BYTES = 16 * 1024 * 1024

export interface ToolScope {
  readonly maxBytes: number
  readonly budget: number | undefined
  /** The living ones, the oldest first. */
  trees(): readonly Tree[]
  /** A living one, or with `ended` also one that has left a log. Throws {@link UnknownTreeError} for any other id. */
  find(id: string, among: 'living' | 'ended'): Tree
}

export function toolScope(owner: Owner, options: ProcessToolsOptions): ToolScope {
  const node = nodeOf(owner, 'owner')
  checkObject(options, 'options')
  const { kinds, maxBytes = DEFAULT_MAX_BYTES, budget } = options
  if (kinds !== undefined) checkKinds(kinds)
  checkCount(maxBytes, 'maxBytes', LARGEST_MAX_BYTES, 'Give a number of bytes')
  if (budget !== undefined) checkBudget(budget)
  const allowed = (tree: Tree): boolean =>
    kinds === undefined || (tree.plan.kind !== undefined && kinds.includes(tree.plan.kind))

  const find = (id: string, among: 'living' | 'ended'): Tree => {
    checkHasTrees(node)
    const candidates = [...treesOf(node, true), ...(among === 'ended' ? logsOf(node) : [])]
    const tree = candidates.find((each) => each.id === id)
    if (tree !== undefined && allowed(tree)) return tree
    throw unknownTree(id)
  }

  return {
    maxBytes,
    budget,
    trees: () => {
      checkHasTrees(node)
      return treesOf(node, true).filter(allowed)
    },
    find,
  }
}

/** Input of a tool: an object with an id. */
export function checkId(input: unknown): asserts input is { readonly id: string } {
  checkInput(input)
  checkNonEmptyString(Reflect.get(input, 'id'), 'id')
}

export function checkInput(input: unknown): asserts input is object {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_TYPE',
    option: 'input',
    must: 'be an object',
    value: input,
    fix: 'Pass an object as the schema of the input says',
  })
}

function logsOf(node: OwnerNode): readonly Tree[] {
  return deepestFirst(node).flatMap((each) => [...each.logs.values()])
}

function checkKinds(kinds: unknown): void {
  if (Array.isArray(kinds)) {
    for (const [index, kind] of kinds.entries()) checkNonEmptyString(kind, `kinds[${index}]`)
    return
  }
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_TYPE',
    option: 'kinds',
    must: 'be an array of strings',
    value: kinds,
    fix: "Give for example ['bash'], or leave it out",
  })
}

/** Says the same for an id of somebody else's as for one that never was. */
function unknownTree(id: string): UnknownTreeError {
  return new UnknownTreeError(`There is no process ${id}`, {
    code: 'ERR_PROCLEASH_UNKNOWN_TREE',
    value: id,
    fix: 'Take an id from process_list',
  })
}
