// The typed errors. Each has a stable `code`, the `value` that was refused and the `fix`, and each says whether
// something was started: none of them leaves a process behind. The mapping from native failures is in failure.ts.

import { inspect } from 'node:util'

/** Base of every error that procleash throws. Match on `code`: messages may change. */
export class ProcleashError extends Error {
  override name = 'ProcleashError'
  /** Stable: an `ERR_PROCLEASH_*` word, or the errno's name (`ENOENT`, `EACCES`, ...). */
  readonly code: string
  /** What was refused, or what failed; `undefined` where there is no single value. */
  readonly value: unknown
  /** What to do about it, in one sentence. */
  readonly fix: string

  constructor(message: string, details: ErrorDetails) {
    super(`${message}. ${details.fix}`, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = details.code
    this.value = details.value
    this.fix = details.fix
  }
}

/** What every {@link ProcleashError} is made of. */
export interface ErrorDetails {
  readonly code: string
  readonly value: unknown
  readonly fix: string
  readonly cause?: unknown
}

/** Codes of {@link InvalidOptionError}. */
export type InvalidOptionCode =
  | 'ERR_INVALID_ARG_TYPE'
  | 'ERR_INVALID_ARG_VALUE'
  | 'ERR_OUT_OF_RANGE'
  | 'ERR_UNKNOWN_SIGNAL'

/** An argument or option is not valid. Nothing was started or sent. */
export class InvalidOptionError extends ProcleashError {
  override name = 'InvalidOptionError'
  declare readonly code: InvalidOptionCode
  /** Name of the argument or option, for example `timeout` or `env.PATH`. */
  readonly option: string

  constructor(details: {
    readonly code: InvalidOptionCode
    readonly option: string
    /** Completes "OPTION must ...". */
    readonly must: string
    readonly value: unknown
    readonly fix: string
    /** Shown in place of the value, where that may be a secret. */
    readonly shown?: string
  }) {
    const shown = details.shown ?? show(details.value)
    super(`${details.option} must ${details.must}; got ${shown}`, details)
    this.option = details.option
  }
}

/**
 * The operating system refused the start, and nothing was started. `code` is the errno's name: `ENOENT`, `EACCES`,
 * `ENOEXEC`, `ENOTDIR`, `ELOOP`, `E2BIG`, `EAGAIN`, `EMFILE`, `ENOMEM`, `EBADF`, ... `value` is the command, the
 * folder, the path or the descriptor that it is about.
 */
export class SpawnError extends ProcleashError {
  override name = 'SpawnError'
  /** Negative, as in the runtimes' own system errors. */
  readonly errno: number
  /** The call that failed: `execve`, `chdir`, `open`, `pipe`, `fork`, ... */
  readonly syscall: string
  readonly path: string | undefined

  constructor(message: string, details: ErrorDetails & SystemDetails) {
    super(message, details)
    this.errno = details.errno
    this.syscall = details.syscall
    this.path = details.path
  }
}

/** What a system error knows besides its code. */
export interface SystemDetails {
  readonly errno: number
  readonly syscall: string
  readonly path?: string | undefined
}

/** A stream of a command failed: `EPIPE` when nobody reads its standard input, or an errno of the read or write. */
export class StreamError extends ProcleashError {
  override name = 'StreamError'
  /** Negative, as in the runtimes' own system errors. */
  readonly errno: number
  readonly syscall: 'read' | 'write'

  constructor(
    message: string,
    details: ErrorDetails & { readonly errno: number; readonly syscall: 'read' | 'write' },
  ) {
    super(message, details)
    this.errno = details.errno
    this.syscall = details.syscall
  }
}

/** The native addon can't be loaded. `value` lists where it was looked for and what went wrong there. */
export class NativeMissingError extends ProcleashError {
  override name = 'NativeMissingError'
  declare readonly code: 'ERR_PROCLEASH_NATIVE_MISSING'
}

/** Codes of {@link HelperError}. */
export type HelperCode =
  | 'ERR_PROCLEASH_HELPER_MISSING'
  | 'ERR_PROCLEASH_HELPER_NOT_EXECUTABLE'
  | 'ERR_PROCLEASH_HELPER_VERSION'
  | 'ERR_PROCLEASH_HELPER_FAILED'

/** The helper executable can't be used; `value` is its path, or its version. Nothing was started. */
export class HelperError extends ProcleashError {
  override name = 'HelperError'
  declare readonly code: HelperCode
}

/** The supervisor ended or can't be reached, so nothing was started. The next spawn starts a new one. */
export class SupervisorLostError extends ProcleashError {
  override name = 'SupervisorLostError'
  declare readonly code: 'ERR_PROCLEASH_SUPERVISOR_LOST'
}

/** Option `require` asks for a grade that is not to be had here. Nothing was started. */
export class GradeError extends ProcleashError {
  override name = 'GradeError'
  declare readonly code: 'ERR_PROCLEASH_GRADE'
}

/** Option `limits` asks for what can't be limited here; `value` is the limit's name. Nothing was started. */
export class LimitError extends ProcleashError {
  override name = 'LimitError'
  declare readonly code: 'ERR_PROCLEASH_LIMIT'
}

/**
 * The signal was aborted before the command ran, or while it was being started; in the second case the tree has
 * settled when this is thrown. `cause` is `signal.reason`.
 */
export class AbortError extends ProcleashError {
  override name = 'AbortError'
  declare readonly code: 'ABORT_ERR'

  constructor(reason: unknown) {
    super('The command was aborted before it was started', {
      code: 'ABORT_ERR',
      value: reason,
      fix: 'Nothing is left running; see cause for who aborted it',
      cause: reason,
    })
  }
}

/** A living owner has this id already, below the same parent. `value` is the id. Nothing was created or merged. */
export class OwnerExistsError extends ProcleashError {
  override name = 'OwnerExistsError'
  declare readonly code: 'ERR_PROCLEASH_OWNER_EXISTS'
}

/**
 * The owner was released, so it takes nothing any more. `value` is its path. A command that was still being started
 * has been stopped, and its tree has settled, when this is thrown.
 */
export class OwnerReleasedError extends ProcleashError {
  override name = 'OwnerReleasedError'
  declare readonly code: 'ERR_PROCLEASH_OWNER_RELEASED'
}

/** The owner has no tree with this id. Whether another owner has one is not said. */
export class UnknownTreeError extends ProcleashError {
  override name = 'UnknownTreeError'
  declare readonly code: 'ERR_PROCLEASH_UNKNOWN_TREE'
}

/** There is no such process, or its number belongs to another one by now. `value` is the pid. Nothing was signalled. */
export class NoSuchProcessError extends ProcleashError {
  override name = 'NoSuchProcessError'
  declare readonly code: 'ESRCH'
}

/**
 * This process must not be stopped from here: 0, 1, a negative number, this process itself, one that it descends from,
 * or another member of its process group. `value` is the pid. Nothing was signalled.
 */
export class ForbiddenTargetError extends ProcleashError {
  override name = 'ForbiddenTargetError'
  declare readonly code: 'ERR_PROCLEASH_FORBIDDEN_TARGET'
}

/**
 * The list of processes can't be read: `ERR_PROCLEASH_PROCFS` (/proc belongs to another PID namespace, or is not
 * mounted), or the errno's name. `value` is the pid. Nothing was signalled.
 */
export class ProcfsError extends ProcleashError {
  override name = 'ProcfsError'
}

/**
 * This program can't adopt orphans: `ERR_PROCLEASH_SUBREAPER_ON` (it does already), `ERR_PROCLEASH_WORKER` (only its
 * first thread can), or the errno's name. Nothing has changed.
 */
export class SubreaperError extends ProcleashError {
  override name = 'SubreaperError'
}

/** An {@link IoLease} was revoked: what was waited for will not come. `cause` is the reason given to `revoke`. */
export class LeaseRevokedError extends ProcleashError {
  override name = 'LeaseRevokedError'
  declare readonly code: 'ERR_PROCLEASH_LEASE_REVOKED'

  constructor(reason: unknown) {
    super('The IO lease was revoked', {
      code: 'ERR_PROCLEASH_LEASE_REVOKED',
      value: reason,
      fix: 'Drop what belongs to it; see cause for why, and the lease itself for the end of its work',
      cause: reason,
    })
  }
}

/** A log can't be read: `ERR_PROCLEASH_NO_LOG` (the command has none), or the errno's name. `value` is the path or id. */
export class LogError extends ProcleashError {
  override name = 'LogError'
}

/** A value as it appears in a message: one short line, whatever was passed. */
export function show(value: unknown): string {
  const text = inspect(value, { depth: 1, maxArrayLength: 4, maxStringLength: 60, breakLength: Infinity })
  const line = text.replaceAll('\n', ' ')
  return line.length <= 100 ? line : `${line.slice(0, 99)}…`
}
