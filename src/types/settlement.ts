// How a command and its tree have ended. Types only.

import type { Escape, ProcessState, SignalName } from './process.js'

/** Why a tree ended. */
export type SettleReason =
  | 'exit'
  | 'stop'
  | 'abort'
  | 'timeout'
  | 'owner-released'
  | 'lease-lost'
  | 'supervisor-lost'

/** How `empty` was proved. */
export type Proof = 'subreaper' | 'cgroup' | 'snapshot' | 'none'

/** One process of a tree, after its end. */
export interface EndedProcess {
  readonly pid: number
  readonly argv: readonly string[]
  readonly escaped: Escape | null
  /** Exit status; `null` when a signal ended it, or when its own parent took the status, as with {@link stopTree}. */
  readonly code: number | null
  /** The signal that ended it; `null` when it exited, or when its own parent took the status. */
  readonly signal: SignalName | null
}

/**
 * Why a process is still there: `permission` (it may not be signalled by this user), `uninterruptible` (SIGKILL was
 * sent and has not taken effect, state `D`), `namespace` (it can't be seen or reached from this PID namespace).
 */
export type SurvivorReason = 'permission' | 'uninterruptible' | 'namespace'

/** A process that is still there after the budget. With `startTime`, `pid` identifies it. */
export interface Survivor {
  readonly pid: number
  readonly startTime: number
  readonly argv: readonly string[]
  readonly state: ProcessState
  readonly reason: SurvivorReason
}

/** What the reaped processes of a tree have used, as getrusage(2) counts; zeros of {@link stopTree}, which reaps none. */
export interface Usage {
  /** Milliseconds of CPU time in user mode, of all reaped processes of the tree. */
  readonly userTime: number
  /** Milliseconds of CPU time in the kernel. */
  readonly systemTime: number
  /** Bytes: the largest resident set that one process of the tree had. */
  readonly maxRss: number
}

/** The tree's end: empty, with how that was proved, or the survivors, each with a reason. */
export interface Settlement {
  readonly outcome: 'empty' | 'survivors'
  readonly reason: SettleReason
  readonly proof: Proof
  /** Whether SIGKILL was needed. */
  readonly escalated: boolean
  /** Milliseconds from the stop request, or from the command's exit, to the end. */
  readonly elapsed: number
  /** At most 64 of the processes that ended; `endedCount` is exact. */
  readonly ended: readonly EndedProcess[]
  readonly endedCount: number
  readonly survivors: readonly Survivor[]
  readonly usage: Usage
  /** Processes of the tree that the kernel killed for want of memory (`limits.memory`). 0 without a cgroup. */
  readonly oomKills: number
}

/** The command's own end. */
export interface Exit {
  readonly code: number | null
  readonly signal: SignalName | null
}
