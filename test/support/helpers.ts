// The supervisor and the keepers of a host, as /proc shows them: by their place and their name, since a command that
// has ended no longer leads to its keeper.

import type { Host } from './host.js'
import { childrenOf, isDeadState, type ProcessStat, readStat } from './proc.js'

/** comm(5) is cut at 15 characters. */
export const SUPERVISOR = 'procleash-super'
const KEEPER = 'procleash-keep'
/** One that waits for its command. */
export const IDLE_KEEPER = 'procleash-idle'

export interface Helpers {
  readonly supervisor: ProcessStat
  /** The oldest first. */
  readonly keepers: readonly ProcessStat[]
  readonly idle: readonly ProcessStat[]
  readonly watchers: readonly ProcessStat[]
}

/** The command's parent, which must be a keeper: whoever it is otherwise must not be hit by what a test does to one. */
export function keeperOf(pid: number): ProcessStat {
  const parent = readStat(readStat(pid)?.ppid ?? 0)
  if (parent?.comm !== KEEPER) throw new Error(`the parent of ${pid} is no keeper but ${parent?.comm}`)
  return parent
}

export function helpersOf(host: Host): Helpers {
  const living = (parent: number, name: string) =>
    childrenOf(parent)
      .filter(({ comm, state }) => comm === name && !isDeadState(state))
      .sort((a, b) => a.startTime - b.startTime || a.pid - b.pid)
  const supervisor = living(host.pid, SUPERVISOR).at(-1)
  if (supervisor === undefined) throw new Error('the host has no supervisor')
  return {
    supervisor,
    keepers: living(supervisor.pid, KEEPER),
    idle: living(supervisor.pid, IDLE_KEEPER),
    watchers: living(supervisor.pid, 'procleash-watch'),
  }
}
