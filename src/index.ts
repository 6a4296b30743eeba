// The public names of procleash.

export { adopt } from './adopt.js'
export { capabilities } from './capabilities.js'
export {
  AbortError,
  ForbiddenTargetError,
  GradeError,
  type HelperCode,
  HelperError,
  type InvalidOptionCode,
  InvalidOptionError,
  LeaseRevokedError,
  LimitError,
  LogError,
  NativeMissingError,
  NoSuchProcessError,
  OwnerExistsError,
  OwnerReleasedError,
  ProcfsError,
  ProcleashError,
  SpawnError,
  StreamError,
  SubreaperError,
  SupervisorLostError,
  UnknownTreeError,
} from './errors.js'
export type {
  EscalateEvent,
  ExitEvent,
  LostEvent,
  SettleEvent,
  SpawnEvent,
  StopEvent,
  TreeEvent,
} from './events.js'
export { inspectTree } from './inspect-tree.js'
export { IoLease, type LeaseOptions, type LeaseState } from './io-lease.js'
export type { KindOptions } from './owners/kinds.js'
export { createOwner } from './owners/owner.js'
export { transfer } from './owners/transfer.js'
export type {
  ListedState,
  Owner,
  OwnerFilter,
  OwnerOptions,
  OwnerStopOptions,
  Release,
  ReleasedTree,
  ReleaseOptions,
  TreeEntry,
} from './owners/types.js'
export type { CapabilityChange, CapabilityName, RightsOptions } from './rights/types.js'
export { run } from './run.js'
export { spawn } from './spawn.js'
export { stopTree } from './stop-tree.js'
export {
  enableSubreaper,
  type Orphan,
  type OrphanCounts,
  type Subreaper,
  type SubreaperOptions,
} from './subreaper.js'
export { type Tail, type TailOptions, tail } from './tail.js'
export type {
  AdoptableChild,
  AdoptOptions,
  BunSubprocess,
  Capabilities,
  CgroupCapability,
  DenoChildProcess,
  EndedProcess,
  Escape,
  Exit,
  Grade,
  Leftovers,
  LimitName,
  Limits,
  MissingPermission,
  ProcessInfo,
  ProcessState,
  Proof,
  Recording,
  RunOptions,
  RunResult,
  Settlement,
  SettleReason,
  SignalName,
  SignalValue,
  SpawnOptions,
  StdioValue,
  StopOptions,
  StopTreeOptions,
  Subprocess,
  Survivor,
  SurvivorReason,
  TreeWatch,
  Usage,
  WatchTreeOptions,
} from './types.js'
export { watchTree } from './watch-tree.js'
