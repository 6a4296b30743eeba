// The typed surface of the native addon and the numbers of its wire format. It holds no logic:
// what the numbers mean for a caller is decided in src/.

/** What `procleash.node` exports. Every function is synchronous and never blocks; call them on the thread that called `open`. */
export interface Native {
  readonly version: string
  /**
   * Once for each thread of JavaScript: starts the reactor thread. `slab` is cut into slots of `slotSize` bytes;
   * `onWake` runs on the event loop when records wait. With `orFromMemory` the addon's own copy of the helper is run
   * where the file can't be. Returns 0 or a negative errno.
   */
  open(
    slab: ArrayBuffer,
    slotSize: number,
    onWake: () => void,
    helperPath: string,
    orFromMemory: boolean,
  ): number
  /** Returns a handle above 0, or a negative errno; then `params[Param.failedStep]` says where. */
  spawn(params: Float64Array, strings: string): number
  /** Sends the stop plan: budget in milliseconds, reason as an index of {@link REASONS}. The earliest deadline wins. */
  stop(handle: number, budget: number, reason: number): boolean
  /** One signal to the command's process group. */
  signal(handle: number, signo: number): boolean
  /** Answered by PROCESSES messages with the same request id. */
  inspect(handle: number, requestId: number): boolean
  /** Treats a keeper that does not answer as lost: native code searches for its tree and settles. */
  giveUp(handle: number): void
  /**
   * Stops the tree of a process that somebody else started, on the reactor's clock. `startTime` in ticks proves the
   * identity, -1 leaves it open; `groupMates` allows processes of the host's own group that don't descend from it.
   * Returns a handle above 0, a {@link Refusal} or a negative errno. The answer is a SETTLED message, then CLOSED.
   */
  stopTree(pid: number, startTime: number, budget: number, signo: number, groupMates: boolean): number
  /** One look at the tree of any process. Returns as `stopTree` does; the answer is a PROCESSES message, then CLOSED. */
  inspectTree(pid: number): number
  /**
   * Starts a watcher of the tree of a process that somebody else started. Returns as `stopTree` does; after a negative
   * errno `params[WatchParam.failedStep]` is a {@link CallStep}. Messages: STARTED, RECORDING (or FAILED), then those of
   * a command; `stop` and `inspect` take the handle.
   */
  watchTree(params: Float64Array): number
  /** The watcher leaves the tree alone and ends; CLOSED follows. Once a stop has begun it does nothing. */
  releaseWatch(handle: number): void
  /**
   * Makes the process a child subreaper and reaps orphans; `patience` is in milliseconds, Infinity for ever. Returns a
   * handle above 0 or a negative errno: EBUSY where it is on, EXDEV off the process's first thread, ENOENT without a
   * /proc of its own. An ORPHANS message asks for a call of `reapUnclaimed`.
   */
  enableSubreaper(patience: number): number
  /** CLOSED follows. */
  disableSubreaper(): void
  reapUnclaimed(): void
  /** Fills in {@link OrphanCount}s, then pid and start time of each living orphan; returns how many numbers there are. */
  orphans(into: Float64Array): number
  /** Copies what it can't write at once. Returns the bytes still queued (0: all written), or a negative errno. */
  write(handle: number, bytes: Uint8Array): number
  /** Takes effect once everything queued is written. */
  closeStdin(handle: number): void
  /** Lets native code send this many more bytes of output 1 or 2. */
  grant(handle: number, stream: number, bytes: number): void
  /** Closes the read end; an END record follows. */
  cancel(handle: number, stream: number): void
  /** Gives a slot of the slab back, after its bytes were copied out. */
  release(slot: number): void
  /** Fills {@link RECORD_INTS} numbers a record and returns the number of records; 0 when none is left. */
  drain(records: Int32Array): number
  /** Payload of the oldest MESSAGE record that was not fetched yet. */
  message(handle: number): ArrayBuffer | undefined
  /** Collect mode: the kept bytes, the head (first half of the limit) and the tail joined. */
  collected(handle: number, stream: number): ArrayBuffer
  /** Collect mode: bytes read in all, dropped ones included. */
  collectedTotal(handle: number, stream: number): number
  /** Collect mode: errno (positive) that ended the writing of the spill file, or 0. */
  spillError(handle: number): number
  /** No later call will use this handle; it is freed once it is closed. */
  forget(handle: number): void
  /** The wake-up handle keeps the event loop alive, or not (the state after `open`). */
  ref(): void
  unref(): void
  /** Indexed by {@link Probe}. */
  probe(): ArrayLike<number>
  /**
   * Where the cgroup of a tree would be made: its folder (empty: none was found), an index of {@link CGROUP_LACKS}, the
   * errno of `refused`, a mask of {@link Controller}. Tries it with an empty cgroup, once.
   */
  probeCgroup(): readonly [path: string, lack: number, errno: number, controllers: number]
}

/** What the loader found, or where it looked in vain. */
export type LoadResult =
  | {
      readonly native: Native
      /** `''` in a bundle, which has none beside it. */
      readonly helperPath: string
      /** By PROCLEASH_HELPER: no other one may be run. */
      readonly helperNamed: boolean
    }
  | { readonly native: null; readonly attempts: readonly LoadAttempt[] }

export interface LoadAttempt {
  readonly path: string
  readonly error: string
}

/** Indices of the parameters of `spawn`. */
export const Param = {
  argc: 0,
  envc: 1,
  timeout: 2,
  budget: 3,
  stopSignal: 4,
  flags: 5,
  stdin: 6,
  stdout: 7,
  stderr: 8,
  maxOutput: 9,
  failedStep: 10,
  failedDetail: 11,
  /** Limits: bytes, tasks, microseconds of CPU time in each 100 ms; {@link NO_LIMIT}. */
  limitMemory: 12,
  limitProcesses: 13,
  limitCpu: 14,
  /** {@link RightsFlag}s, and what they are about; group ids stand behind the last parameter. */
  rights: 15,
  uid: 16,
  gid: 17,
  capabilities: 18,
  count: 19,
} as const

/** Indices of the parameters of `watchTree`. */
export const WatchParam = {
  pid: 0,
  /** Ticks, or -1. */
  startTime: 1,
  budget: 2,
  stopSignal: 3,
  flags: 4,
  failedStep: 5,
  failedDetail: 6,
  count: 7,
} as const

export const WatchFlag = { keepLeftovers: 1, keepAtHostDeath: 2 } as const

/** `envc` that means the host's own C `environ`. */
export const HOST_ENVIRON = -1

export const NO_LIMIT = -1

export const Flag = { keepLeftovers: 1, collect: 2, cgroup: 4 } as const

export const RightsFlag = { uid: 1, gid: 2, groups: 4, keep: 8, drop: 16, noNewPrivileges: 32 } as const

/** Values of the three stdio parameters below 0; from 0 on they are descriptors. */
/** `log` appends like `append`, and refuses a symbolic link. */
export const StdioCode = { ignore: -1, pipe: -2, path: -3, append: -4, log: -5 } as const

/** `params[Param.failedStep]` after `spawn` returned a negative errno. */
export const CallStep = {
  helperExec: 1,
  supervisorLost: 2,
  pipe: 3,
  stdioDescriptor: 4,
  stdioPath: 5,
  spillPath: 6,
  memory: 7,
  tooLarge: 8,
  cgroup: 9,
} as const

/** The step byte of a FAILED message. */
export const StartStep = {
  stdio: 1,
  chdir: 2,
  exec: 3,
  fork: 4,
  malformed: 5,
  helperVersion: 6,
  helperLost: 7,
  setsid: 8,
  cgroup: 9,
  limitMemory: 10,
  limitProcesses: 11,
  limitCpu: 12,
  groups: 13,
  gid: 14,
  boundingSet: 15,
  uid: 16,
  capabilities: 17,
  noNewPrivileges: 18,
  /** The keeper may not signal that user. */
  unstoppable: 19,
} as const

/** What `stopTree` and `inspectTree` return for a process that they don't take. */
export const Refusal = {
  gone: -1001,
  another: -1002,
  host: -1003,
  ancestor: -1004,
  group: -1005,
  number: -1006,
  procfs: -1007,
} as const

export const RECORD_INTS = 4

export const RecordType = { data: 1, end: 2, message: 3, written: 4, drained: 5, closed: 6 } as const

export const MessageType = {
  started: 1,
  failed: 2,
  exited: 3,
  stopping: 4,
  settled: 5,
  processes: 6,
  escalating: 8,
  recording: 9,
  orphans: 10,
} as const

/** Indices of the first numbers of what `orphans` fills in. */
export const OrphanCount = { reaped: 0, unclaimed: 1, zombies: 2, living: 3, count: 4 } as const

export const Stream = { stdin: 0, stdout: 1, stderr: 2 } as const

/** Number of a reason on the wire: its index. */
export const REASONS = [
  'exit',
  'stop',
  'abort',
  'timeout',
  'owner-released',
  'lease-lost',
  'supervisor-lost',
] as const

export const PROOFS = ['none', 'subreaper', 'cgroup', 'snapshot'] as const

export const ESCAPES = [null, 'group', 'session', 'daemon'] as const

export const SURVIVOR_REASONS = ['none', 'permission', 'uninterruptible', 'namespace'] as const

export const RECORDINGS = ['polling', 'events'] as const

/** What a status number of an entry is: nothing known, an exit code, a signal. */
export const StatusKind = { unknown: 0, exited: 1, signalled: 2 } as const

/** Indices of what `probe` returns; each is 0 or 1, `procfs` is an index of {@link PROCFS}. */
export const Probe = {
  pidfd: 0,
  pidfdGroupSignal: 1,
  subreaper: 2,
  clone3: 3,
  closeRange: 4,
  children: 5,
  procfs: 6,
  pty: 7,
} as const

export const PROCFS = ['own', 'foreign', 'missing'] as const

/** Why there can be no cgroup for a tree. */
export const CGROUP_LACKS = [
  'none',
  'no-hierarchy',
  'outside',
  'refused',
  'no-kill',
  'threaded',
  'disabled',
] as const

/** Bits of the controllers that limits need. */
export const Controller = { memory: 1, processes: 2, cpu: 4 } as const
