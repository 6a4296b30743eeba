// A command in a host, seen from the test: each method is a request to test/hosts/driver.mjs.

import type {
  Exit,
  ProcessInfo,
  RunOptions,
  RunResult,
  Settlement,
  SignalValue,
  StopOptions,
  Subprocess,
} from '../../src/types.js'
import type { Host } from './host.js'
import { identify, type ProcessId } from './proc.js'

/** An error as it was thrown in the host. */
export class RemoteError extends Error {
  override readonly name: string
  readonly code: string | undefined
  readonly option: string | undefined
  readonly fix: string | undefined
  /** Name of the class that was thrown. */
  readonly className: string
  readonly isError: boolean

  constructor(sent: SentError) {
    super(sent.message, sent.cause === undefined ? undefined : { cause: new RemoteError(sent.cause) })
    this.name = sent.name
    this.code = sent.code
    this.option = sent.option
    this.fix = sent.fix
    this.className = sent.className
    this.isError = sent.isError
  }
}

/** `started`, or the class and code of the error. */
export function outcomeOf(start: Promise<unknown>): Promise<string> {
  return start.then(
    () => 'started',
    (error: unknown) => {
      if (!(error instanceof RemoteError)) throw error
      return `${error.className} ${error.code}`
    },
  )
}

export interface SentError {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly option?: string
  readonly fix?: string
  readonly className: string
  readonly isError: boolean
  readonly cause?: SentError
}

/** What `host.evaluate` gives to the function that runs in the host. */
export interface RemoteContext {
  readonly procleash: typeof import('../../src/index.js')
  readonly childProcess: typeof import('node:child_process')
  readonly fs: typeof import('node:fs')
  readonly process: NodeJS.Process
  readonly workerThreads: typeof import('node:worker_threads')
  /** Commands that were started by request, by handle. */
  readonly commands: Map<number, { readonly command: Subprocess }>
  /** Survives from one call to the next. */
  readonly kept: Record<string, unknown>
  /** Describes an error as requests do. */
  describeError(error: unknown): SentError
  /** Makes a command known to requests. */
  takeCommand(command: Subprocess): { readonly handle: number; readonly pid: number }
  /** Sends an event to the test, at once even where the loop is about to block. */
  emit(event: string, details?: object): void
}

export interface CollectedOutput {
  readonly stdout: string
  readonly stderr: string
  readonly stdoutEnded: boolean
  readonly stderrEnded: boolean
}

/** Wall-clock milliseconds, comparable between processes of one machine. */
export interface CommandTimes {
  readonly spawned: number
  readonly exited?: number
  readonly settled?: number
}

export interface RemoteCommand {
  readonly handle: number
  readonly pid: number
  /** Milliseconds that the call of `spawn()` kept the event loop. */
  readonly spawnCall: number
  /** With its start time; throws when it is gone. */
  id(): ProcessId
  stop(options?: StopOptions): Promise<Settlement>
  kill(signal?: SignalValue): Promise<boolean>
  abort(reason?: string): Promise<void>
  processes(): Promise<ProcessInfo[]>
  exited(deadline?: number): Promise<Exit>
  settled(deadline?: number): Promise<Settlement>
  /** What was read until now. */
  output(): Promise<CollectedOutput>
  /** What was read until both streams ended. */
  allOutput(deadline?: number): Promise<CollectedOutput>
  times(): Promise<CommandTimes>
  write(text: string): Promise<void>
  closeInput(): Promise<void>
}

export function remoteCommand(
  host: Host,
  sent: { readonly handle: number; readonly pid: number; readonly spawnCall: number },
): RemoteCommand {
  const { handle } = sent
  return {
    ...sent,
    id: () => identify(sent.pid),
    stop: (options = {}) => host.request('stop', { handle, options }),
    kill: (signal) => host.request('kill', { handle, signal }),
    abort: (reason) => host.request('abort', { handle, reason }),
    processes: () => host.request('processes', { handle }),
    exited: (deadline) => host.request('exited', { handle }, deadline),
    settled: (deadline) => host.request('settled', { handle }, deadline),
    output: () => host.request('output', { handle }),
    allOutput: (deadline) => host.request('allOutput', { handle }, deadline),
    times: () => host.request('times', { handle }),
    write: (text) => host.request('write', { handle, text }),
    closeInput: () => host.request('closeInput', { handle }),
  }
}

/** A result of `run()`; what was kept, if anything, is a command of its own. */
export interface RemoteRunResult extends Omit<RunResult, 'kept'> {
  readonly kept: RemoteCommand | null
  readonly startedAt: number
}

/** Runs a command in the host. `env` is added to the host's own. */
export async function remoteRun(
  host: Host,
  file: string,
  args: readonly string[] = [],
  options: Omit<RunOptions, 'signal' | 'env' | 'input' | 'encoding'> & {
    readonly env?: Readonly<Record<string, string>>
    readonly input?: string
  } = {},
  deadline?: number,
): Promise<RemoteRunResult> {
  type Sent = Omit<RemoteRunResult, 'kept'> & {
    kept: { handle: number; pid: number; spawnCall: number } | null
  }
  const sent = await host.request<Sent>('run', { file, args, options }, deadline)
  return { ...sent, kept: sent.kept === null ? null : remoteCommand(host, sent.kept) }
}
