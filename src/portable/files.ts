// The descriptors that a command gets, opened here before it starts and closed here after: files, logs, spill files.

import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from 'node:fs'
import { CallStep, StdioCode } from '../../bindings/native.js'
import { callError } from '../failure.js'
import type { SpawnPlan, StdioPlan } from '../options.js'
import { errnoOf } from './errno-of.js'

export type StdioChoice = 'pipe' | 'ignore' | number

export interface Opened {
  readonly stdio: readonly [StdioChoice, StdioChoice, StdioChoice]
  /** -1: none. */
  readonly spill: number
  /** The command has its own copies by now. */
  close(): void
}

const { O_APPEND, O_CREAT, O_RDONLY, O_TRUNC, O_WRONLY } = constants
// Windows has neither links of that kind nor FIFOs in its file systems.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
/** For logs and spill files. Not blocking, which means nothing for a file: a FIFO in its place must not be waited for. */
const PRIVATE = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK

/** Throws a typed error; nothing is left open then. */
export function openAll(plan: SpawnPlan): Opened {
  const open: number[] = []
  const close = (): void => {
    for (const fd of open.splice(0)) closeSync(fd)
  }
  const guarded = <Value>(step: number, detail: number, act: () => Value): Value => {
    try {
      return act()
    } catch (error) {
      close()
      throw callError({ errno: errnoOf(error), step, detail }, plan, '')
    }
  }
  const keep = (fd: number): number => {
    open.push(fd)
    return fd
  }
  const openOne = (one: StdioPlan, index: number): StdioChoice => {
    switch (one.code) {
      case StdioCode.ignore:
        return 'ignore'
      case StdioCode.pipe:
        return 'pipe'
      case StdioCode.log:
        return guarded(CallStep.stdioPath, index, () => keep(openPrivate(one.path, O_APPEND)))
      case StdioCode.path:
      case StdioCode.append:
        return guarded(CallStep.stdioPath, index, () => keep(openFile(one.path, flagsOf(one.code, index))))
      default:
        return guarded(CallStep.stdioDescriptor, index, () => {
          fstatSync(one.code)
          return one.code
        })
    }
  }
  const [stdin, stdout, stderr] = plan.stdio
  const stdio = [openOne(stdin, 0), openOne(stdout, 1), openOne(stderr, 2)] as const
  const spillPath = plan.collect?.spillPath ?? ''
  const spill = spillPath === '' ? -1 : guarded(CallStep.spillPath, 0, () => openPrivate(spillPath, O_TRUNC))
  return { stdio, spill, close }
}

function flagsOf(code: number, index: number): number {
  if (index === 0) return O_RDONLY
  return O_WRONLY | O_CREAT | (code === StdioCode.append ? O_APPEND : O_TRUNC)
}

/** To open a FIFO waits for its other end, and the event loop with it; the command then gets one that does not wait. */
function openFile(path: string, flags: number): number {
  const isFifo = statSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false
  return openSync(path, isFifo ? flags | O_NONBLOCK : flags, 0o600)
}

function openPrivate(path: string, flags: number): number {
  const fd = openSync(path, PRIVATE | flags, 0o600)
  const stats = fstatSync(fd)
  if (!stats.isFIFO() && !stats.isSocket()) return fd
  closeSync(fd)
  throw Object.assign(new Error('not a file'), { code: 'EINVAL' })
}

/** All bytes, or the errno (negative) that ended the writing. */
export function writeAll(fd: number, bytes: Uint8Array): number {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    return 0
  } catch (error) {
    return errnoOf(error)
  }
}
