// Moving a tree from one owner to another, on purpose.

import { treeOf } from '../subprocess.js'
import type { Subprocess } from '../types.js'
import { checkOpen, move, nodeOf, ownerOf } from './node.js'
import type { Owner } from './types.js'

/**
 * Gives a running tree to an owner: from another one, or one that nobody owned. It keeps its id, its budget and its
 * streams; from now on `owner` lists, stops and releases it. `false`, and nothing moved, when nothing of it is left.
 *
 * @throws {OwnerReleasedError} when either owner was released: the tree stays where it is, and is stopped there.
 * @throws {InvalidOptionError} for a `command` or `owner` that is none.
 */
export function transfer(command: Subprocess, owner: Owner): boolean {
  const tree = treeOf(command, 'command')
  const to = nodeOf(owner, 'owner')
  const from = ownerOf(tree)
  checkOpen(to)
  if (from !== undefined) checkOpen(from)
  return move(tree, to)
}
