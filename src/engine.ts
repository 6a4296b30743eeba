// What the trees of this thread stand on: native code, or the runtime's own child_process. The one place where that is
// chosen; both speak through the same Tree.

import { checkGrade } from './grade.js'
import { startTree } from './native-tree.js'
import type { SpawnPlan } from './options.js'
import { checkPortableGrade } from './portable/grade.js'
import { hold } from './portable/hold.js'
import { portableReason } from './portable/reason.js'
import { startPortableTree } from './portable/tree.js'
import { getReactor } from './reactor.js'
import type { Tree } from './tree.js'

export interface Engine {
  /** Throws a typed error when the plan asks for more than can be had. */
  checkGrade(plan: SpawnPlan): void
  /** Sends the request. Throws a typed error when it is refused at once. */
  startTree(plan: SpawnPlan): Tree
  /** Keeps the event loop alive until the returned function is called; further calls of it do nothing. */
  hold(): () => void
}

const portable: Engine = { checkGrade: checkPortableGrade, startTree: startPortableTree, hold }

/** Of this thread; loads the addon on first use. Throws {@link NativeMissingError}. */
export function getEngine(): Engine {
  if (portableReason() !== null) return portable
  const reactor = getReactor()
  return {
    checkGrade: (plan) => checkGrade(reactor.native, plan),
    startTree: (plan) => startTree(reactor, plan),
    hold: reactor.hold,
  }
}
