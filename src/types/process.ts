// One process of a tree, and what can be sent to it. Types only.

/**
 * A signal by its name, for example `'SIGTERM'`; see signal(7). A real-time signal, which has no name of its own,
 * reads `SIGRTMIN`, `SIGRTMIN+1`, ... with the C library's SIGRTMIN, 34.
 */
export type SignalName = NodeJS.Signals

/** A signal by its name or its number, 1 to 64. */
export type SignalValue = SignalName | number

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
