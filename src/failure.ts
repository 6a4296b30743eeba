// From what native code reports to the typed error that a caller gets. Every failure here means: nothing was started.

import { CallStep, StartStep, StdioCode } from '../bindings/native.js'
import { errnoFix, errnoName } from './errno.js'
import {
  type GradeError,
  HelperError,
  type ProcleashError,
  SpawnError,
  SupervisorLostError,
} from './errors.js'
import { gradeError } from './grade.js'
import { limitError } from './limits.js'
import type { SpawnPlan } from './options.js'
import { rightsRefusal } from './rights/failure.js'
import type { StartFailure } from './wire.js'

/** Errno, step and detail of a refused native call. */
export interface CallFailure {
  readonly errno: number
  readonly step: number
  readonly detail: number
}

interface Cause {
  readonly errno: number
  readonly syscall: string
  /** What was being done, for the message. */
  readonly doing: string
  readonly value: unknown
  readonly path?: string
  /** In place of the errno's own. */
  readonly fix?: string | undefined
}

/** The native call for a watcher refused; the process itself is not the reason. */
export function watchCallError(
  { errno, step, detail }: CallFailure,
  pid: number,
  helperPath: string,
): ProcleashError {
  if (step === CallStep.helperExec) return helperExecError(errno, detail, helperPath)
  if (step === CallStep.supervisorLost) return supervisorLost(errnoName(errno))
  const syscall = step === CallStep.pipe ? 'socketpair' : 'malloc'
  return spawnError({ errno, syscall, doing: `watch process ${pid}`, value: pid })
}

/** The watcher could not begin. */
export function watchError(failure: StartFailure, pid: number, helperPath: string): ProcleashError {
  const doing = `watch process ${pid}`
  const errno = -Math.abs(failure.errno)
  return (
    helperStartError(failure, doing, helperPath) ?? spawnError({ errno, syscall: 'open', doing, value: pid })
  )
}

/** The native call refused: the request has not left this process. */
export function callError(failure: CallFailure, plan: SpawnPlan, helperPath: string): ProcleashError {
  const { errno, step, detail } = failure
  const stdio = ['stdin', 'stdout', 'stderr'][detail] ?? 'stdio'
  const target = plan.stdio[detail]
  switch (step) {
    case CallStep.helperExec:
      return helperExecError(errno, detail, helperPath)
    case CallStep.supervisorLost:
      return supervisorLost(errnoName(errno))
    case CallStep.stdioDescriptor:
      return spawnError({
        errno,
        syscall: 'dup',
        doing: `use descriptor ${target?.code} as ${stdio}`,
        value: target?.code,
      })
    case CallStep.stdioPath:
      if (target?.code === StdioCode.log) return privateError(errno, 'log', target.path)
      return openError(errno, stdio, target?.path ?? '')
    case CallStep.spillPath:
      return privateError(errno, 'spillPath', plan.collect?.spillPath ?? '')
    case CallStep.pipe:
      return spawnError({ errno, syscall: 'pipe', doing: `make the pipes of ${plan.file}`, value: plan.file })
    case CallStep.cgroup:
      return cgroupError(errno)
    case CallStep.memory:
      return spawnError({ errno, syscall: 'malloc', doing: `start ${plan.file}`, value: plan.file })
    default:
      return spawnError({
        errno,
        syscall: 'execve',
        doing: `start ${plan.file}`,
        value: plan.file,
        path: plan.file,
      })
  }
}

/** The supervisor or the keeper refused, before the command's first instruction. */
export function startError(failure: StartFailure, plan: SpawnPlan, helperPath: string): ProcleashError {
  const errno = -Math.abs(failure.errno)
  const { file, cwd } = plan
  const ofHelper = helperStartError(failure, `start ${file}`, helperPath)
  if (ofHelper !== undefined) return ofHelper
  const ofRights = rightsRefusal(failure.step, errnoName(errno), plan.rights.options)
  if (ofRights !== undefined) return spawnError({ errno, ...ofRights })
  switch (failure.step) {
    case StartStep.chdir:
      return spawnError({ errno, syscall: 'chdir', doing: `enter cwd ${cwd}`, value: cwd, path: cwd })
    case StartStep.exec:
      return spawnError({ errno, syscall: 'execve', doing: `start ${file}`, value: file, path: file })
    case StartStep.stdio:
      return spawnError({ errno, syscall: 'dup2', doing: `set the stdio of ${file}`, value: file })
    case StartStep.cgroup:
      return cgroupError(errno)
    case StartStep.limitMemory:
      return limitError('memory', errnoName(errno))
    case StartStep.limitProcesses:
      return limitError('processes', errnoName(errno))
    case StartStep.limitCpu:
      return limitError('cpu', errnoName(errno))
    case StartStep.setsid:
      return spawnError({ errno, syscall: 'setsid', doing: `start ${file}`, value: file })
    default:
      return spawnError({ errno, syscall: 'fork', doing: `start ${file}`, value: file })
  }
}

/** Where it is the helper's own fault. */
function helperStartError(
  { errno, step, detail }: StartFailure,
  doing: string,
  helperPath: string,
): ProcleashError | undefined {
  switch (step) {
    case StartStep.malformed:
      return helperError('FAILED', `The helper ${helperPath} did not understand the request`, helperPath)
    case StartStep.helperVersion:
      return helperError('VERSION', `The helper ${helperPath} is of another version (${detail})`, detail)
    case StartStep.helperLost:
      // It has been ready for others: it is a good one, and was killed.
      if (errnoName(-Math.abs(errno)) === 'ECONNRESET')
        return supervisorLost(`it ended on the way to ${doing}`)
      return helperError('FAILED', `The helper ${helperPath} ended before it was ready`, helperPath)
    default:
      return undefined
  }
}

/** The answer to a start could not be understood; the stop that follows it leaves nothing running. */
export function answerError(error: unknown, helperPath: string): HelperError {
  const why = error instanceof Error ? error.message : String(error)
  return helperError('FAILED', `The answer of the helper ${helperPath} makes no sense: ${why}`, helperPath)
}

/** It could be had when it was tried; what has changed since, or is not allowed for this process, the errno tells. */
function cgroupError(errno: number): GradeError {
  const why = `no cgroup could be made or entered (${errnoName(errno)})`
  return gradeError('cgroup', why, 'see what `procleash doctor` finds, and cgroup.max.descendants')
}

function openError(errno: number, option: string, path: string): SpawnError {
  return spawnError({ errno, syscall: 'open', doing: `open ${option} ${path}`, value: path, path })
}

/** Logs and spill files lie where others may have planted something; what that leads to is not opened. */
const privateFixes: Readonly<Record<string, string>> = {
  ELOOP:
    'It is a symbolic link, which is never followed here: remove it, or give the path of the file itself',
  EINVAL: 'It is a FIFO or a socket: give the path of a file',
  ENXIO: 'It is a FIFO or a socket: give the path of a file',
}

function privateError(errno: number, option: string, path: string): SpawnError {
  const fix = privateFixes[errnoName(errno)]
  return spawnError({ errno, syscall: 'open', doing: `open ${option} ${path}`, value: path, path, fix })
}

function spawnError({ errno, syscall, doing, value, path, fix: own }: Cause): SpawnError {
  const code = errnoName(errno)
  const fix = own ?? (syscall === 'execve' && code === 'ENOENT' ? EXEC_ENOENT_FIX : errnoFix(code))
  return new SpawnError(`Could not ${doing}: ${code} (${syscall})`, {
    code,
    value,
    fix,
    errno,
    syscall,
    path,
  })
}

// The kernel says ENOENT for a script's missing interpreter too.
const EXEC_ENOENT_FIX = 'Check the name, the PATH it is looked up in, and the interpreter in its #! line'

/** `memory` is the errno of the start from memory, 0 where none was tried. */
function helperExecError(errno: number, memory: number, helperPath: string): HelperError {
  const code = errnoName(errno)
  if (helperPath === '') {
    const message = `A bundle has no helper beside it, and the addon's copy can't be run: ${memoryFailure(memory)}`
    return helperError('MISSING', message, helperPath)
  }
  const tried = memory === 0 ? '' : `, and its copy in memory can't be run: ${memoryFailure(memory)}`
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return helperError('MISSING', `The helper ${helperPath} is missing${tried}`, helperPath)
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'ENOEXEC') {
    const message = `The helper ${helperPath} can't be executed (${code})${tried}`
    return helperError('NOT_EXECUTABLE', message, helperPath)
  }
  return helperError('FAILED', `The helper ${helperPath} could not be started: ${code}${tried}`, helperPath)
}

function memoryFailure(errno: number): string {
  const code = errnoName(-errno)
  if (code === 'EACCES') return 'EACCES (vm.memfd_noexec is 2, or a security policy forbids it)'
  return code === 'ENOSYS' ? 'ENOSYS (no memfd_create here)' : code
}

const helperFixes = {
  MISSING: 'Install the package again, or name the helper in PROCLEASH_HELPER',
  NOT_EXECUTABLE:
    'Give it back its run bit (chmod 755), and keep it on a file system that is not mounted noexec',
  VERSION: 'Install the package again so that addon and helper match; unset PROCLEASH_HELPER',
  FAILED:
    'Run `npm run build:native` in the package, or unset PROCLEASH_HELPER; check limits and the security policy',
} as const

function helperError(kind: keyof typeof helperFixes, message: string, value: string): HelperError {
  return new HelperError(message, { code: `ERR_PROCLEASH_HELPER_${kind}`, value, fix: helperFixes[kind] })
}

function supervisorLost(why: string): SupervisorLostError {
  return new SupervisorLostError(`The supervisor can't be reached: ${why}`, {
    code: 'ERR_PROCLEASH_SUPERVISOR_LOST',
    value: why,
    fix: 'Try again: the next spawn starts a new supervisor',
  })
}
