// adopt(): a tree whose command the runtime's own spawn has started gets a watcher, an owner and the lease.

import process from 'node:process'
import { WatchFlag, WatchParam } from '../bindings/native.js'
import { ForbiddenTargetError, NoSuchProcessError } from './errors.js'
import { publishLife } from './events.js'
import { watchCallError } from './failure.js'
import { refusalError } from './foreign.js'
import { inspectTree } from './inspect-tree.js'
import { followTree } from './native-tree.js'
import { DEFAULTS, type SpawnPlan, spawnPlan } from './options.js'
import { checkOpen, isReleased, own, releasedError } from './owners/node.js'
import { getReactor, type Reactor } from './reactor.js'
import { type RuntimeChild, runtimeChild } from './runtime-child.js'
import { createSubprocess } from './subprocess.js'
import type { Tree } from './tree.js'
import type { AdoptableChild, AdoptOptions, ProcessInfo, Subprocess } from './types.js'
import { checkObject } from './validate.js'

const adopted = new WeakSet<object>()

/**
 * Takes a child that the runtime's own spawn has started: a `ChildProcess` of node:child_process (of what builds on it
 * too), what `Bun.spawn()` gave, or a `Deno.ChildProcess`. From now on its tree is listed, stopped and released as that
 * of a command of {@link spawn}, and a dying host stops it. The runtime keeps the child: it reaps it, its streams and
 * events stay where they are (`stdin`, `stdout` and `stderr` are `null` here), and `exited` is what it tells.
 *
 * A watcher records the tree, as {@link watchTree} has it, so the proof of its end is a `'snapshot'`: what left the tree
 * before the call, or was never recorded below its parent, is not seen. `kill()` reaches the child's process group only
 * where the child leads it, else the child alone. In the lists of owners its `cwd` is empty.
 *
 * After an error the child is as it was.
 *
 * @throws {InvalidOptionError} for an option that is not valid, and for any other object than a runtime's own child.
 * @throws {NoSuchProcessError} `ESRCH` when the child has ended, or has never started.
 * @throws {ForbiddenTargetError} when its pid is not that of a child of this process, and when it was adopted before.
 * @throws {OwnerReleasedError} when its owner is released; once that was while it was being adopted, the tree is gone.
 * @throws {ProcfsError} when /proc can't be read.
 * @throws {HelperError} {@link SupervisorLostError} {@link NativeMissingError} when the native side can't be used.
 */
export async function adopt(child: AdoptableChild, options: AdoptOptions = {}): Promise<Subprocess> {
  const taken = runtimeChild(child)
  const wanted = adoptionPlan(options)
  if (wanted.owner !== null) checkOpen(wanted.owner)
  if (adopted.has(child)) throw forbidden(taken.pid, 'was adopted before', 'Use what that adopt() gave')
  adopted.add(child)
  try {
    const tree = await takeTree(taken, wanted)
    return createSubprocess(tree, await pidOf(tree))
  } catch (error) {
    adopted.delete(child)
    throw error
  }
}

/** What the command is, is found later. */
function adoptionPlan(options: AdoptOptions): SpawnPlan {
  checkObject(options, 'options')
  const { owner, kind, label, budget, stopSignal, leftovers } = options
  const stdio = { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' } as const
  return spawnPlan(DEFAULTS, 'child', [], { ...stdio, owner, kind, label, budget, stopSignal, leftovers })
}

async function takeTree(child: RuntimeChild, wanted: SpawnPlan): Promise<Tree> {
  const root = await findChild(child)
  const [argv0 = '', ...args] = root.argv
  const plan: SpawnPlan = { ...wanted, file: argv0, argv0, args }
  if (plan.owner !== null) checkOpen(plan.owner)
  const reactor = getReactor()
  const tree = followTree(reactor, requestAdoption(reactor, plan, root), plan, child)
  if (plan.owner !== null) own(plan.owner, tree)
  publishLife(tree)
  return tree
}

async function pidOf(tree: Tree): Promise<number> {
  const pid = await tree.started
  const { owner } = tree.plan
  if (owner === null || !isReleased(owner)) return pid
  // Released meanwhile: its stop was sent with the release, or right after the start.
  await tree.settled
  throw releasedError(owner)
}

/** A child that was not reaped can't have lost its number: what has it, and is ours, is the child. */
async function findChild(child: RuntimeChild): Promise<ProcessInfo> {
  const { pid } = child
  if (pid === undefined || child.exit() !== null) throw ended(pid)
  const [root] = await inspectTree(pid)
  if (root === undefined || child.exit() !== null) throw ended(pid)
  if (root.ppid !== process.pid)
    throw forbidden(pid, 'is no child of this process', 'Pass the child itself, as its spawn gave it')
  if (root.state === 'Z') throw ended(pid)
  return root
}

function requestAdoption(reactor: Reactor, plan: SpawnPlan, { pid, startTime }: ProcessInfo): number {
  const params = new Float64Array(WatchParam.count)
  params[WatchParam.pid] = pid
  params[WatchParam.startTime] = startTime
  params[WatchParam.budget] = plan.budget
  params[WatchParam.stopSignal] = plan.stopSignal
  params[WatchParam.flags] = plan.leftovers === 'keep' ? WatchFlag.keepLeftovers : 0
  const handle = reactor.native.watchTree(params)
  if (handle > 0) return handle
  const step = params[WatchParam.failedStep] ?? 0
  if (step === 0) throw refusalError(pid, handle)
  throw watchCallError({ errno: handle, step, detail: 0 }, pid, reactor.helperPath)
}

function ended(pid: number | undefined): NoSuchProcessError {
  return new NoSuchProcessError(
    pid === undefined ? 'The child was never started' : `Child ${pid} has ended`,
    { code: 'ESRCH', value: pid, fix: 'There is nothing to adopt' },
  )
}

function forbidden(pid: number | undefined, why: string, fix: string): ForbiddenTargetError {
  return new ForbiddenTargetError(`Process ${pid} ${why}`, {
    code: 'ERR_PROCLEASH_FORBIDDEN_TARGET',
    value: pid,
    fix,
  })
}
