// The public shapes: options, results, settlements. Types only; nothing here runs.

import type { ChildProcess } from 'node:child_process'
import type { Owner } from './owners/types.js'
import type { RightsOptions } from './rights/types.js'

/**
 * A signal by its name, for example `'SIGTERM'`; see signal(7). A real-time signal, which has no name of its own,
 * reads `SIGRTMIN`, `SIGRTMIN+1`, ... with the C library's SIGRTMIN, 34.
 */
export type SignalName = NodeJS.Signals

/** A signal by its name or its number, 1 to 64. */
export type SignalValue = SignalName | number

/**
 * Where one of the three standard descriptors goes.
 *
 * - `'pipe'`: a stream on the {@link Subprocess}.
 * - `'ignore'`: `/dev/null`.
 * - `'inherit'`: the host's own descriptor of the same number.
 * - a number: an open descriptor of the host; it stays open in the host. Not in Deno, whose numbers are its own.
 * - `{ path, append }`: a file, opened before the command starts, relative to the host's working directory; for
 *   output it is created with mode 0600 and truncated unless `append` is true.
 */
export type StdioValue =
  | 'pipe'
  | 'ignore'
  | 'inherit'
  | number
  | { readonly path: string; readonly append?: boolean | undefined }

/** How strong the containment of a tree is; `cgroup` is stronger than `tree`, `tree` than `group`. */
export type Grade = 'cgroup' | 'tree' | 'group'

/** What a whole tree may use; see "Controllers" in cgroups(7) and the kernel's admin-guide/cgroup-v2. */
export interface Limits {
  /**
   * Bytes, page cache and kernel memory of the tree included, swap not given in addition. Beyond it, the kernel kills
   * processes of the tree: `oomKills` of the settlement. At least 1.
   */
  readonly memory?: number | undefined
  /** Processes and threads at once, 1 to 4194304: beyond it, fork(2) fails with `EAGAIN` in the tree. */
  readonly processes?: number | undefined
  /** CPUs, 0.5 for half of one; it is slowed down to that. 0.01 to 10000. */
  readonly cpu?: number | undefined
}

/** What happens to what a command leaves behind when it ends by itself. */
export type Leftovers = 'stop' | 'keep'

/** Options of {@link spawn}, and of {@link run} too. Times are milliseconds. */
export interface SpawnOptions extends RightsOptions {
  /** Working directory of the command, not empty. Default: the host's, at the time of the call. */
  readonly cwd?: string | undefined
  /**
   * The whole environment: own properties, each a string; `undefined` ones are left out. Default: the host's. A mark,
   * `PROCLEASH_TREE`, is added to it.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** What the command sees as its own name. Default: `file`. */
  readonly argv0?: string | undefined
  /** Default: `'ignore'`. */
  readonly stdin?: StdioValue | undefined
  /** Default: `'pipe'`. */
  readonly stdout?: StdioValue | undefined
  /** Default: `'pipe'`. */
  readonly stderr?: StdioValue | undefined
  /** Aborting stops the tree with reason `'abort'`. One that is aborted already starts nothing. */
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds after which the tree is stopped, on the keeper's clock: it holds while this event loop is blocked.
   * It ends with the command: what `leftovers: 'keep'` has kept is not stopped by it.
   * Above 0, at most 2^31-1. Default: none.
   */
  readonly timeout?: number | undefined
  /**
   * Milliseconds from any stop request until the tree is empty, SIGKILL included; 0 sends SIGKILL at once. At most
   * 2^31-1. Default: 500.
   */
  readonly budget?: number | undefined
  /** First signal of a stop. Default: `'SIGTERM'`. */
  readonly stopSignal?: SignalValue | undefined
  /**
   * What happens to what the command leaves behind when it ends by itself: `'stop'` stops it within the budget,
   * `'keep'` lets it live until it ends, is stopped, or this process ends. Default: `'stop'`.
   */
  readonly leftovers?: Leftovers | undefined
  /** A word for people, shown in lists and events. */
  readonly label?: string | undefined
  /** What the tree is for: `bash`, `subagent`, `workflow` or a word of your own. */
  readonly kind?: string | undefined
  /** Whose the tree is; the same as calling `spawn` or `run` of that owner. Default: nobody's. */
  readonly owner?: Owner | undefined
  /**
   * A file that gets both outputs, appended as they come and never through JavaScript; `stdout` and `stderr` must be
   * left out. Created with mode 0600, relative to the host's working directory; a symbolic link is refused (`ELOOP`).
   * It stays after the command: see {@link tail}.
   */
  readonly log?: string | undefined
  /**
   * Refuse to start below this grade, with `ERR_PROCLEASH_GRADE`. `'cgroup'` gives the tree a cgroup of its own.
   * Default: no cgroup, and any grade will do.
   */
  readonly require?: Grade | undefined
  /** What the whole tree may use. Needs a cgroup, as with `require: 'cgroup'`. Default: what the host itself may. */
  readonly limits?: Limits | undefined
}

/** Options of {@link Subprocess.stop}. */
export interface StopOptions {
  /** Milliseconds from this call until the tree is empty. Default: the command's own budget. A shorter budget shortens a running stop. */
  readonly budget?: number | undefined
  /** Why, for events and logs. Default: none. */
  readonly reason?: string | undefined
}

/** Options of {@link stopTree}. Times are milliseconds. */
export interface StopTreeOptions {
  /** Milliseconds from the call until nothing is left, SIGKILL included; 0 sends SIGKILL at once. Default: 500. */
  readonly budget?: number | undefined
  /** First signal. Default: `'SIGTERM'`. */
  readonly signal?: SignalValue | undefined
  /**
   * Start time of the process that is meant, as {@link ProcessInfo} and field 22 of proc_pid_stat(5) give it. With it, a
   * number that went to another process meanwhile is refused with `ESRCH`. Default: whoever has the number now.
   */
  readonly startTime?: number | undefined
}

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

/** What `Bun.spawn()` gives, as far as {@link adopt} needs it. */
export interface BunSubprocess {
  readonly pid: number
  readonly exitCode: number | null
  readonly signalCode: string | number | null
  readonly exited: Promise<unknown>
}

/** A `Deno.ChildProcess`, as far as {@link adopt} needs it. */
export interface DenoChildProcess {
  readonly pid: number
  readonly status: Promise<{ readonly code: number; readonly signal: string | null }>
}

/** What {@link adopt} takes: a child of the runtime's own spawn, the object itself and not one like it. */
export type AdoptableChild = ChildProcess | BunSubprocess | DenoChildProcess

/** Options of {@link adopt}: as of {@link SpawnOptions}. */
export type AdoptOptions = Pick<
  SpawnOptions,
  'owner' | 'kind' | 'label' | 'budget' | 'stopSignal' | 'leftovers'
>
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

/**
 * How a process left the command's group: `group` (another group of the same session), `session`
 * (a session of its own), `daemon` (a session of its own, and its parent is gone).
 */
export type Escape = 'group' | 'session' | 'daemon'

/** State letter of proc_pid_stat(5): `R` running, `S` sleeping, `D` uninterruptible, `T` stopped, `t` traced, `Z` zombie, `I` idle. */
export type ProcessState = 'R' | 'S' | 'D' | 'T' | 't' | 'Z' | 'X' | 'I' | '?'

/** One living process of a tree. */
export interface ProcessInfo {
  /** Ids as in proc_pid_stat(5): process, parent, process group, session. */
  readonly pid: number
  readonly ppid: number
  readonly pgid: number
  readonly sid: number
  /**
   * Clock ticks since boot, field 22 of proc_pid_stat(5). With `pid` it identifies a process. Without native code:
   * seconds since the epoch.
   */
  readonly startTime: number
  /** Milliseconds of CPU time so far, in user mode and in the kernel. */
  readonly cpuTime: number
  /** Bytes resident. */
  readonly memory: number
  /** 0 where it is not known: without native code. */
  readonly threads: number
  readonly state: ProcessState
  /** Empty for a zombie; long ones are cut. */
  readonly argv: readonly string[]
  /** `null`: still in the command's group; of {@link inspectTree}: in the group of its parent. */
  readonly escaped: Escape | null
}

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

/** Options of {@link run}: those of {@link spawn}, and what to do with input and output. */
export interface RunOptions extends SpawnOptions {
  /** Bytes kept of each output: the first and the last half. Default: 8 MiB; at most 2^29-1024. */
  readonly maxOutput?: number | undefined
  /** A file that gets all output (stdout and stderr, as they come), created with mode 0600. */
  readonly spillPath?: string | undefined
  /** Written to the command's standard input, which is then closed; a command that does not read it is no error. */
  readonly input?: string | Uint8Array | undefined
  /** `'utf8'` (default) gives strings, with U+FFFD for what is not UTF-8; `'buffer'` gives `Uint8Array`. */
  readonly encoding?: 'utf8' | 'buffer' | undefined
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

/** What a tree can be limited in. */
export type LimitName = keyof Limits

/** Whether a tree can have a cgroup of its own; see cgroups(7), version 2. */
export interface CgroupCapability {
  readonly usable: boolean
  /** The folder in which it would be made; `null` when none was found. */
  readonly path: string | null
  /** What its controllers can limit. */
  readonly limits: readonly LimitName[]
  /** Why it can't be used; `null` when it can. */
  readonly reason: string | null
  /** What to do about that; `null` when it can be used. */
  readonly fix: string | null
}

/** A flag that Deno was started without. */
export interface MissingPermission {
  readonly flag: string
  readonly effect: string
}

/** What {@link capabilities} finds by probing. */
export interface Capabilities {
  readonly platform: string
  readonly arch: string
  /** The grade of a spawn that asks for none. */
  readonly grade: Grade
  /** The highest grade that `require` can have. */
  readonly strongest: Grade
  /** Why none is higher, each with what is missing; empty when there is none. */
  readonly reasons: readonly string[]
  readonly pidfd: boolean
  readonly pidfdGroupSignal: boolean
  readonly subreaper: boolean
  readonly clone3: boolean
  readonly closeRange: boolean
  /** `/proc/PID/task/TID/children` */
  readonly children: boolean
  /** `foreign`: /proc belongs to another PID namespace. */
  readonly procfs: 'own' | 'foreign' | 'missing'
  /** Whether a pseudo-terminal can be opened (pty(7)). */
  readonly pty: boolean
  readonly cgroup: CgroupCapability
  /** Deno only: the flags that were not given, and what follows from each. Empty elsewhere. */
  readonly permissions: readonly MissingPermission[]
  /** `addon` is `null` where no native code is used. */
  readonly versions: { readonly procleash: string; readonly addon: string | null }
  /**
   * The helper that would be started; `''` in a bundle, where the addon's own copy is run from memory; `null` where none
   * is used.
   */
  readonly helper: string | null
}
