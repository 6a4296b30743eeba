// Where each process of a list belongs in the tree. Pure.

import type { ProcessInfo } from './types.js'

/** Depth first, siblings in the order of their start. */
export function inTreeOrder(root: number, processes: readonly ProcessInfo[]): ProcessInfo[] {
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
