// What a command is started with, and how a tree is stopped. Types only.

import type { Owner } from '../owners/types.js'
import type { RightsOptions } from '../rights/types.js'
import type { SignalValue } from './process.js'

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
