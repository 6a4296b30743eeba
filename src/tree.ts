// One tree, as the rest of src/ sees it, from the request to its end. Carried out by a keeper (native-tree.ts), or
// without one (portable/tree.ts). Types only.

import type { SpawnPlan } from './options.js'
import type { Exit, ProcessInfo, Settlement, SettleReason } from './types.js'

/** Standard output or standard error, by descriptor. */
export type OutputNumber = 1 | 2

/** What was read natively of one output, in collect mode. */
export interface CollectedOutput {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** All bytes that came, dropped ones included. */
  readonly total: number
}

/** What collect mode has gathered. */
export interface Collected {
  readonly stdout: CollectedOutput
  readonly stderr: CollectedOutput
  /** Negative errno of the spill file, or 0. */
  readonly spillErrno: number
}

/** What a caller sees of a life: `exited` is a command that has ended with descendants that have not. */
export type TreeState = 'starting' | 'running' | 'exited' | 'stopping' | 'survivors' | 'ended'

/** A stop that this process has asked for. */
export interface StopRequest {
  readonly reason: SettleReason
  /** In the caller's words. */
  readonly why: string | undefined
  /** Milliseconds since the epoch. */
  readonly time: number
}

export interface Tree {
  readonly id: string
  readonly plan: SpawnPlan
  /** Milliseconds since the epoch. */
  readonly requestedAt: number
  /** Absolute; empty where the host's own is gone, and where procleash did not start the command. */
  readonly cwd: string
  readonly stdin: WritableStream<Uint8Array> | null
  readonly stdout: ReadableStream<Uint8Array> | null
  readonly stderr: ReadableStream<Uint8Array> | null
  /** The command's pid; rejects with a typed error when nothing was started. */
  readonly started: Promise<number>
  /** The command's own end, at the latest when the tree settles. */
  readonly exited: Promise<Exit>
  /** The command has ended and what it wrote was read; or the tree has settled. */
  readonly drained: Promise<void>
  /** The keeper has begun to stop the tree, and why. Never resolves when the tree ends without that. */
  readonly stopping: Promise<SettleReason>
  /** SIGKILL was sent, the stop's grace being over. Never resolves without it. */
  readonly escalating: Promise<SettleReason>
  readonly settled: Promise<Settlement>
  /** Nothing of the tree is left any more, survivors included, or its keeper is gone and nobody can know. */
  readonly gone: Promise<void>
  /** The tree has settled and no output comes any more. */
  readonly outputEnded: Promise<void>
  isSettled(): boolean
  state(): TreeState
  /** `null` while it is being started. */
  pid(): number | null
  /** The first stop that was asked for here. */
  stopRequest(): StopRequest | undefined
  /** Before the start it is remembered and sent right after; after the end it does nothing. */
  stop(budget: number, reason: SettleReason, why?: string): void
  kill(signo: number): boolean
  processes(): Promise<ProcessInfo[]>
  ref(): void
  unref(): void
  /** Whether this output is a pipe whose end has not come. */
  isOutputOpen(number: OutputNumber): boolean
  /** Collect mode: takes both outputs, once; native code may free them afterwards. */
  takeCollected(): Collected
}
