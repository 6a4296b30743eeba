// Which processes of a list belong to a command. Pure. The command leads a session of its own, so whoever shares a
// group or session with a member is one of the tree: nobody can join a group of another session (setpgid(2)).

import type { Escape, ProcessInfo } from '../types.js'
import type { Row } from './system.js'

/** Seconds by which two readings of one start time may differ: ps rounds, and the clock is adjusted. */
const TOLERANCE = 1

export function isSame(a: Row, b: Row): boolean {
  return a.pid === b.pid && Math.abs(a.startTime - b.startTime) <= TOLERANCE
}

export function isDead({ state }: Row): boolean {
  return state === 'Z' || state === 'X'
}

export interface Roots {
  /** Number of the command, and of the group and session that it leads. */
  readonly command: number
  /** Its number may belong to somebody else by now. */
  readonly hasEnded: boolean
  /** The tree's id, which its processes inherit in their environment. */
  readonly id: string
}

/** The living members in the list. `known` are those of the list before: they stay members, whoever adopted them. */
export function membersOf(
  list: readonly Row[],
  { command, hasEnded, id }: Roots,
  known: ReadonlyMap<number, Row>,
): ReadonlyMap<number, Row> {
  const candidates = list.filter((row) => !isDead(row) && isPossible(row))
  const members = new Map<number, Row>()
  for (const row of candidates) {
    const before = known.get(row.pid)
    const isCommand = row.pid === command && !hasEnded
    const isKnown = before !== undefined && isSame(row, before)
    if (isCommand || isKnown || row.mark.split(':').includes(id)) members.set(row.pid, row)
  }
  // A living process that has the command's number after its end leads a group that is not the command's.
  const isTaken = hasEnded && list.some(({ pid }) => pid === command) && !members.has(command)
  const tied = new Set(isTaken ? [] : [command])
  for (let size = -1; size !== members.size; ) {
    size = members.size
    for (const { pgid, sid } of members.values()) tied.add(pgid).add(sid)
    tied.delete(0)
    for (const row of candidates) {
      if (members.has(row.ppid) || tied.has(row.pgid) || tied.has(row.sid)) members.set(row.pid, row)
    }
  }
  return members
}

/** Whatever a list says, these are no members. */
function isPossible({ pid }: Row): boolean {
  return pid > 1 && pid !== process.pid && pid !== process.ppid
}

/** How it left the command's group. Where sessions can't be seen, one that has left counts as one of its session. */
export function escapeOf(row: Row, command: number, members: ReadonlyMap<number, Row>): Escape | null {
  if (row.pgid === command || row.pid === command) return null
  if (row.sid === command || row.sid === 0) return 'group'
  return members.has(row.ppid) ? 'session' : 'daemon'
}

export function toInfo(row: Row, command: number, members: ReadonlyMap<number, Row>): ProcessInfo {
  const { mark: _, ...info } = row
  return { ...info, escaped: escapeOf(row, command, members) }
}
