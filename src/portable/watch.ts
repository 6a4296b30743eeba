// What is known of one tree's processes, from one list to the next, and the signals to them. It signals a process by
// number only if the last list had it with the start time that it was first seen with, and the command's group only
// while nothing says that its number is free.

import { constants } from 'node:os'
import type { Escape, ProcessInfo } from '../types.js'
import { escapeOf, isSame, membersOf, type Roots, toInfo } from './members.js'
import { type Row, type Sent, system } from './system.js'

const { SIGCONT = 18 } = constants.signals
export const SIGKILL = 9

/** A member that is no longer in the list. */
export interface Gone {
  readonly row: Row
  readonly escaped: Escape | null
}

export interface Watch {
  /** Takes a new list in. */
  look(): Promise<void>
  /** Sends SIGKILL to all that can be found in this list, without waiting for anything. */
  killNow(list: readonly Row[] | null): void
  /** The last list could not be had. */
  isBlind(): boolean
  /** The command was reaped: its number is its own only as long as its group has members. */
  commandEnded(): void
  /** Nobody was left in the last list; without one, nobody answers to the group's signal. */
  isEmpty(): boolean
  /** Asks the system about the members that are known, without a list. Zombies count. */
  seemsAlive(): boolean
  signalGroup(signo: number): Sent
  /** To the group, and to each member outside it; then SIGCONT, so that stopped ones can act. */
  signalAll(signo: number): void
  signalOutsiders(signo: number): void
  members(): ReadonlyMap<number, Row>
  infos(): ProcessInfo[]
  gone(): readonly Gone[]
  /** Whether a member can't be signalled by this user. */
  isDenied(pid: number): boolean
  /** There are members, and none can. */
  areDenied(): boolean
  /** Milliseconds that the last list took. */
  cost(): number
}

export function createWatch(command: number, id: string): Watch {
  let members: ReadonlyMap<number, Row> = new Map()
  const gone: Gone[] = []
  let hasEnded = false
  let isGroupFree = false
  let isBlind = false
  /** The last list was begun after the command was reaped, so nobody can have come to the tree unseen. */
  let isConclusive = false
  let cost = 30
  let hostGroup = 0

  const look = async (): Promise<void> => {
    const began = performance.now()
    // As of now: a list that was begun before the command was reaped may still show it.
    const roots = { command, hasEnded, id }
    const list = await system.list()
    cost = performance.now() - began
    takeIn(list, roots)
  }

  const takeIn = (list: readonly Row[] | null, roots: Roots): void => {
    isBlind = list === null
    isConclusive = roots.hasEnded
    if (list === null) return
    hostGroup = list.find(({ pid }) => pid === process.pid)?.pgid ?? 0
    const before = members
    members = membersOf(list, roots, before)
    for (const row of before.values()) {
      const now = members.get(row.pid)
      if (now === undefined || !isSame(now, row)) gone.push({ row, escaped: escapeOf(row, command, before) })
    }
    if (roots.hasEnded && ![...members.values()].some(({ pgid }) => pgid === command)) isGroupFree = true
  }

  const signalGroup = (signo: number): Sent => {
    if (isGroupFree) return 'gone'
    const sent = system.signalGroup(command, signo)
    if (sent === 'gone' && hasEnded) isGroupFree = true
    return sent
  }

  const outsiders = (): readonly Row[] => [...members.values()].filter((row) => row.pgid !== command)

  /** No fork can run away from it, while single numbers are old by the time that they are known. */
  const killGroups = (): void => {
    const groups = new Set(outsiders().map(({ pgid }) => pgid))
    for (const pgid of groups) if (pgid !== hostGroup) system.signalGroup(pgid, SIGKILL)
  }

  const signalOutsiders = (signo: number): void => {
    for (const { pid } of outsiders()) system.signal(pid, signo)
  }

  const signalAll = (signo: number): void => {
    signalGroup(signo)
    if (signo === SIGKILL) killGroups()
    signalOutsiders(signo)
    signalGroup(SIGCONT)
    signalOutsiders(SIGCONT)
  }

  const seemsAlive = (): boolean =>
    signalGroup(0) !== 'gone' || outsiders().some(({ pid }) => system.signal(pid, 0) !== 'gone')

  const isDenied = (pid: number): boolean => system.signal(pid, 0) === 'denied'

  return {
    look,
    killNow: (list) => {
      takeIn(list, { command, hasEnded, id })
      signalAll(SIGKILL)
    },
    isBlind: () => isBlind,
    commandEnded: () => {
      hasEnded = true
    },
    isEmpty: () => (isBlind ? hasEnded && !seemsAlive() : isConclusive && members.size === 0),
    seemsAlive,
    signalGroup,
    signalAll,
    signalOutsiders,
    members: () => members,
    infos: () => [...members.values()].map((row) => toInfo(row, command, members)),
    gone: () => gone,
    isDenied,
    areDenied: () => members.size > 0 && [...members.keys()].every(isDenied),
    cost: () => cost,
  }
}
