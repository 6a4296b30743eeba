// Looks at the tree of any process, once.

import { answerOf, refusalError } from './foreign.js'
import { getReactor } from './reactor.js'
import type { ProcessInfo } from './types.js'
import { checkCount, MAX_PID } from './validate.js'
import { decodeProcesses } from './wire.js'

/**
 * The process and everything that belongs to it, from one picture of /proc: its descendants by parent, and all of the
 * sessions and groups that one of them leads. The process comes first, then the others, each after its parent; zombies
 * are in it. `escaped` says how a process left the group of its parent; an orphan is compared with the first process.
 * Empty when the process ended meanwhile. Sends and starts nothing, and may look at any process, this one included.
 *
 * @throws {NoSuchProcessError} `ESRCH`: no such process.
 * @throws {ProcfsError} when /proc can't be read.
 * @throws {InvalidOptionError} when `pid` is no number of a process.
 * @throws {NativeMissingError} when the addon can't be loaded.
 */
export async function inspectTree(pid: number): Promise<ProcessInfo[]> {
  checkCount(pid, 'pid', MAX_PID, 'Give the number of a running process')
  const reactor = getReactor()
  const handle = reactor.native.inspectTree(pid)
  if (handle < 0) throw refusalError(pid, handle)
  const { processes } = decodeProcesses(await answerOf(reactor, handle))
  return inTreeOrder(pid, processes)
}

/** Depth first, siblings in the order of their start. */
function inTreeOrder(root: number, processes: readonly ProcessInfo[]): ProcessInfo[] {
  const ordered: ProcessInfo[] = []
  const pending = processes.filter((process) => process.pid === root)
  const children = childrenByParent(root, processes)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    ordered.push(next)
    pending.push(...(children.get(next.pid) ?? []))
  }
  return ordered
}

/** Youngest first, as they are taken from the end. */
function childrenByParent(
  root: number,
  processes: readonly ProcessInfo[],
): ReadonlyMap<number, ProcessInfo[]> {
  const known = new Set(processes.map((process) => process.pid))
  const children = new Map<number, ProcessInfo[]>()
  const youngestFirst = processes
    .filter((process) => process.pid !== root)
    .sort((a, b) => b.startTime - a.startTime || b.pid - a.pid)
  for (const process of youngestFirst) {
    const parent = parentInTree(root, known, process)
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [process])
    else siblings.push(process)
  }
  return children
}

/**
 * The number under which a process is listed: its parent's; of an orphan that of the leader of its group or session,
 * which ties it to the tree, else the root's.
 */
export function parentInTree(
  root: number,
  known: ReadonlySet<number>,
  { pid, ppid, pgid, sid }: ProcessInfo,
): number {
  return [ppid, pgid, sid].find((number) => number !== pid && known.has(number)) ?? root
}
