// The public face of a tree.

import { InvalidOptionError } from './errors.js'
import { checkBudget, checkReason } from './options.js'
import { signalNumber } from './signals.js'
import type { Tree } from './tree.js'
import type { Settlement, SignalValue, StopOptions, Subprocess } from './types.js'
import { checkObject } from './validate.js'

const faces = new WeakMap<Tree, Subprocess>()
const trees = new WeakMap<object, Tree>()

export function createSubprocess(tree: Tree, pid: number): Subprocess {
  const { plan } = tree

  const stop = (options: StopOptions = {}): Promise<Settlement> => {
    try {
      checkObject(options, 'options')
      const { budget = plan.budget, reason } = options
      checkBudget(budget)
      checkReason(reason)
      tree.stop(budget, 'stop', reason)
    } catch (error) {
      return Promise.reject(error)
    }
    return tree.settled
  }

  const subprocess: Subprocess = {
    id: tree.id,
    pid,
    file: plan.file,
    args: plan.args,
    kind: plan.kind,
    label: plan.label,
    log: plan.log,
    stdin: tree.stdin,
    get stdout() {
      return tree.stdout
    },
    get stderr() {
      return tree.stderr
    },
    exited: tree.exited,
    settled: tree.settled,
    stop,
    kill: (signal: SignalValue = 'SIGTERM') => tree.kill(signalNumber(signal, 'signal')),
    processes: tree.processes,
    ref: tree.ref,
    unref: tree.unref,
    [Symbol.asyncDispose]: async () => {
      await stop()
    },
  }
  faces.set(tree, subprocess)
  tie(subprocess, tree)
  return subprocess
}

/** Makes a face known: the one of a tree, or a lease's view of it. */
export function tie(face: Subprocess, tree: Tree): void {
  trees.set(face, tree)
}

/** The face that `spawn` gave, or one for a tree that has none, as of `run`. The tree has started. */
export function subprocessOf(tree: Tree): Subprocess {
  return faces.get(tree) ?? createSubprocess(tree, tree.pid() ?? 0)
}

/** The tree behind an argument's value. */
export function treeOf(command: unknown, option: string): Tree {
  const tree = typeof command === 'object' && command !== null ? trees.get(command) : undefined
  if (tree !== undefined) return tree
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_TYPE',
    option,
    must: 'be a command',
    value: command,
    fix: 'Pass what spawn() resolved with',
  })
}
