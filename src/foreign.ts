// Trees that somebody else started: why native code refuses a process, and the one answer that a job gives.

import { Refusal } from '../bindings/native.js'
import { deferred } from './deferred.js'
import { errnoFix, errnoName } from './errno.js'
import { ForbiddenTargetError, NoSuchProcessError, ProcfsError, type ProcleashError } from './errors.js'
import { watchError } from './failure.js'
import type { Port, Reactor } from './reactor.js'
import type { StartFailure } from './wire.js'

/** The kernel's number of ESRCH. */
const NO_SUCH_PROCESS = 3

/** The payload of the one message that the handle's job answers with. */
export async function answerOf(reactor: Reactor, handle: number): Promise<ArrayBuffer> {
  const answer = deferred<ArrayBuffer>()
  const unhold = reactor.hold()
  const nothing = (): void => {}
  const port: Port = {
    data: nothing,
    ended: nothing,
    message: (_, payload) => answer.resolve(payload),
    written: nothing,
    drained: nothing,
    closed: () => {
      reactor.native.forget(handle)
      answer.reject(new Error('The job has ended without an answer'))
    },
    failed: (error) => answer.reject(error),
  }
  reactor.attach(handle, port)
  try {
    return await answer.promise
  } finally {
    unhold()
  }
}

/** The error for what native code returned instead of a handle. */
export function refusalError(pid: number, returned: number): ProcleashError {
  switch (returned) {
    case Refusal.gone:
      return noSuchProcess(pid, `There is no process ${pid}`)
    case Refusal.another:
      return noSuchProcess(pid, `Process ${pid} is another one by now: it has another start time`)
    case Refusal.host:
      return forbidden(pid, `Process ${pid} is this process itself`)
    case Refusal.ancestor:
      return forbidden(pid, `Process ${pid} is one that this process descends from`)
    case Refusal.group:
      return forbidden(pid, `Process ${pid} is in the process group of this process, and no descendant of it`)
    case Refusal.number:
      return forbidden(pid, `${pid} is not the number of a process that may be stopped`)
    case Refusal.procfs:
      return new ProcfsError('/proc belongs to another PID namespace, or is not mounted', {
        code: 'ERR_PROCLEASH_PROCFS',
        value: pid,
        fix: 'Mount a /proc of this PID namespace: unshare --mount-proc, or mount -t proc proc /proc',
      })
    default: {
      const code = errnoName(returned)
      return new ProcfsError(`The processes can't be read: ${code}`, {
        code,
        value: pid,
        fix: errnoFix(code),
      })
    }
  }
}

/** A watcher could not begin. */
export function watchFailure(failure: StartFailure, pid: number, helperPath: string): ProcleashError {
  const gone = failure.step === 0 && Math.abs(failure.errno) === NO_SUCH_PROCESS
  return gone
    ? noSuchProcess(pid, `There is no process ${pid} any more`)
    : watchError(failure, pid, helperPath)
}

function noSuchProcess(pid: number, message: string): NoSuchProcessError {
  return new NoSuchProcessError(message, {
    code: 'ESRCH',
    value: pid,
    fix: 'It has ended, so there is nothing to do',
  })
}

function forbidden(pid: number, message: string): ForbiddenTargetError {
  return new ForbiddenTargetError(message, {
    code: 'ERR_PROCLEASH_FORBIDDEN_TARGET',
    value: pid,
    fix: 'Give the pid of a process that this one has started, or that has nothing to do with it',
  })
}
