// The record of a tree that somebody else has started. Types only.

import type { Leftovers, StopOptions } from './options.js'
import type { ProcessInfo, SignalValue } from './process.js'
import type { Settlement } from './settlement.js'

/** Options of {@link watchTree}. Times are milliseconds. */
export interface WatchTreeOptions {
  /** Start time of the process that is meant, as in {@link StopTreeOptions}. Default: whoever has the number now. */
  readonly startTime?: number | undefined
  /** Milliseconds that any stop of this tree may take, SIGKILL included. Default: 500. */
  readonly budget?: number | undefined
  /** First signal of any stop. Default: `'SIGTERM'`. */
  readonly stopSignal?: SignalValue | undefined
  /** What happens to the rest of the tree once the watched process has ended. Default: `'stop'`. */
  readonly leftovers?: Leftovers | undefined
  /**
   * What happens to the tree when this process ends, in whatever way. `'keep'` leaves it alone, and nobody records any
   * more. Default: `'stop'`.
   */
  readonly hostDeath?: 'stop' | 'keep' | undefined
}

/**
 * How a tree is recorded. `'events'`: the kernel tells of every fork. `'polling'`: the lists of children are read every
 * 2 to 25 ms, longer where that would take more than a tenth of a core; all of /proc every 100 ms or longer.
 */
export type Recording = 'polling' | 'events'

/** The tree of a process that somebody else started, recorded by a process of its own until it has ended. */
export interface TreeWatch extends AsyncDisposable {
  readonly pid: number
  /** With `pid` it identifies the process. */
  readonly startTime: number
  readonly recording: Recording
  /** What a record of this kind may miss, for people. */
  readonly mayMiss: string
  /** The watched process's own end. Its status is its parent's to know. Never rejects. */
  readonly exited: Promise<void>
  /** The end of everything that was recorded; `null` after {@link TreeWatch.release}. Never rejects. */
  readonly settled: Promise<Settlement | null>
  /**
   * Stops everything that was recorded and lives. Calling it again joins the running stop, and the earliest deadline
   * wins; after the end it gives the settlement, `null` where the tree was released. Rejects only for an option that
   * is not valid ({@link InvalidOptionError}).
   */
  stop(options?: StopOptions): Promise<Settlement | null>
  /** The living processes of the tree that are known now; none once it has settled. */
  processes(): Promise<ProcessInfo[]>
  /**
   * Ends the recording and leaves the tree alone. Does nothing once a stop has begun. Resolves when the recorder is
   * gone.
   */
  release(): Promise<void>
  /** Keeps the event loop alive until the tree has settled (the default). */
  ref(): void
  /** Lets the event loop end before; see {@link WatchTreeOptions.hostDeath} for what happens then. */
  unref(): void
  /** `stop()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
