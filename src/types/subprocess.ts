// What `spawn` and `run` give. Types only.

import type { StopOptions } from './options.js'
import type { ProcessInfo, SignalName, SignalValue } from './process.js'
import type { Exit, Settlement, SettleReason } from './settlement.js'

/** A running command and its tree. */
export interface Subprocess extends AsyncDisposable {
  /** Name of the tree in lists, events and tools: unique in this process, and never used again. */
  readonly id: string
  /** Process id of the command, also the id of its process group and session. */
  readonly pid: number
  /** As they were asked for. */
  readonly file: string
  readonly args: readonly string[]
  readonly kind: string | undefined
  readonly label: string | undefined
  /** Absolute path of the file that gets the outputs, if there is one. */
  readonly log: string | undefined
  /**
   * `null` unless `stdin: 'pipe'`. A write resolves when its bytes are in the pipe; close the stream to give the
   * command its end of file. Writes fail with `EPIPE` once nobody reads.
   */
  readonly stdin: WritableStream<Uint8Array> | null
  /**
   * `null` unless `'pipe'`. A byte stream: `getReader({ mode: 'byob' })` reads into a buffer of yours. The command may
   * be 512 KiB ahead of its reader; then it waits, as at a full pipe. Only while the tree is being stopped, bytes
   * beyond that are dropped, so that a blocked writer can act on the signal. The stream ends with the tree; what has
   * arrived stays readable.
   */
  readonly stdout: ReadableStream<Uint8Array> | null
  readonly stderr: ReadableStream<Uint8Array> | null
  /**
   * The command's own end; descendants may still run. Never rejects. Both fields are `null` when the end was not
   * seen, because the keeper was lost.
   */
  readonly exited: Promise<Exit>
  /** The tree's end. Never rejects. */
  readonly settled: Promise<Settlement>
  /**
   * Stops the whole tree: `stopSignal` to all of it, SIGKILL to what is left shortly before the budget ends. Calling
   * it again joins the running stop, and the earliest deadline wins; after the end it gives the settlement. Rejects
   * only for an option that is not valid ({@link InvalidOptionError}).
   */
  stop(options?: StopOptions): Promise<Settlement>
  /**
   * Sends one signal to the command's process group, and starts no stop. Default: `'SIGTERM'`. `false`, and nothing
   * sent, when the tree has settled.
   *
   * @throws {InvalidOptionError} `ERR_UNKNOWN_SIGNAL`, for 0 too.
   */
  kill(signal?: SignalValue): boolean
  /** The living processes of the tree, as the keeper sees them now; none once it has settled. */
  processes(): Promise<ProcessInfo[]>
  /** Keeps the event loop alive until the tree has settled (the default). */
  ref(): void
  /** Lets the event loop end before; the end of this process then stops the tree. A read or write in progress still holds it. */
  unref(): void
  /** `stop()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** What {@link run} resolves with, however the command ended. */
export interface RunResult<Output = string> {
  /** Empty for an output that is not `'pipe'`. */
  readonly stdout: Output
  readonly stderr: Output
  /** Exit status of the command; `null` when a signal ended it. */
  readonly code: number | null
  /** The signal that ended the command; `null` when it exited. */
  readonly signal: SignalName | null
  /** `'exit'` when the command ended by itself, by whatever signal; otherwise what made procleash stop it. */
  readonly reason: SettleReason
  /** Whether bytes of either output were dropped because of `maxOutput`. */
  readonly truncated: boolean
  /** Bytes dropped from the middle of each output. */
  readonly dropped: { readonly stdout: number; readonly stderr: number }
  /** As it was given: the file with all output. */
  readonly spillPath: string | undefined
  /** `null`, or the errno's name (`ENOSPC`, ...) that ended the writing of `spillPath`: it holds what came before. */
  readonly spillError: string | null
  /** `null` only with `leftovers: 'keep'` while something is left: see `kept`. */
  readonly settlement: Settlement | null
  /**
   * With `leftovers: 'keep'`: what the command left running, still under its lease: it keeps the event loop alive
   * unless `unref()` is called, its streams are `null`, and what it still writes is read and dropped.
   */
  readonly kept: Subprocess | null
  /** Whether a process that was kept still holds the output open. */
  readonly stdoutOpen: boolean
  readonly stderrOpen: boolean
  /** Milliseconds from the call to the result. */
  readonly duration: number
}
