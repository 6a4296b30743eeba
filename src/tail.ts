// The end of a log. It reads what is in the file, whether the command lives or not, and never more than was asked for.

import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { errnoFix } from './errno.js'
import { InvalidOptionError, LogError } from './errors.js'
import { brokenStart, wholeLength } from './output.js'
import { treeOf } from './subprocess.js'
import type { Subprocess } from './types.js'
import { checkCount, checkNonEmptyString, checkObject } from './validate.js'

/** Bytes that `tail` reads when nobody says otherwise. */
export const DEFAULT_TAIL = 64 * 1024

/** Far more than a person or a model reads; a log beyond it is a job for a stream. */
const MOST_TAIL = 64 * 1024 * 1024

/** Options of {@link tail}. */
export interface TailOptions {
  /** How many bytes of the end. Default: 64 KiB; at most 64 MiB. */
  readonly bytes?: number | undefined
}

/** The end of a log. */
export interface Tail {
  readonly path: string
  /** UTF-8, with U+FFFD for what is not; characters that are cut at either end are left out. */
  readonly text: string
  /** Whether something comes before it. */
  readonly truncated: boolean
  /** Bytes of the whole file. */
  readonly size: number
}

/**
 * Reads the end of a command's log, or of the file at a path. The file stays after the command, and so does this.
 *
 * @throws {LogError} `ERR_PROCLEASH_NO_LOG` for a command without one, else the errno of open(2) or read(2): `ENOENT`,
 * `EACCES`, `ELOOP` (a symbolic link; never followed), `EINVAL` (not a file).
 * @throws {InvalidOptionError}
 */
export async function tail(source: Subprocess | string, options: TailOptions = {}): Promise<Tail> {
  checkObject(options, 'options')
  const { bytes = DEFAULT_TAIL } = options
  checkCount(bytes, 'bytes', MOST_TAIL, 'Give a number of bytes; read the file itself for more')
  return readTail(pathOf(source), bytes)
}

export async function readTail(path: string, bytes: number): Promise<Tail> {
  try {
    // Not blocking: a FIFO in the place of a log must not be waited for.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const file = await open(path, flags)
    try {
      return await readEnd(file, path, bytes)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw error instanceof LogError ? error : readError(path, error)
  }
}

async function readEnd(file: FileHandle, path: string, bytes: number): Promise<Tail> {
  const stats = await file.stat()
  if (!stats.isFile()) throw notAFile(path)
  const { size } = stats
  const start = Math.max(0, size - bytes)
  const buffer = new Uint8Array(size - start)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, start + length)
    // Somebody has cut the file short meanwhile.
    if (bytesRead === 0) break
    length += bytesRead
  }
  return { path, text: decode(buffer.subarray(0, length), start > 0), truncated: start > 0, size }
}

function decode(bytes: Uint8Array, isCut: boolean): string {
  const from = isCut ? brokenStart(bytes) : 0
  // The command may be in the middle of a character.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(from, wholeLength(bytes)))
}

function pathOf(source: Subprocess | string): string {
  if (typeof source === 'string') {
    checkNonEmptyString(source, 'source')
    return source
  }
  if (typeof source !== 'object') {
    throw new InvalidOptionError({
      code: 'ERR_INVALID_ARG_TYPE',
      option: 'source',
      must: 'be a command or a path',
      value: source,
      fix: 'Pass what spawn() resolved with, or the path of a log',
    })
  }
  const { plan, id } = treeOf(source, 'source')
  if (plan.log !== undefined) return plan.log
  throw noLogError(id)
}

export function noLogError(id: string): LogError {
  return new LogError(`Command ${id} has no log`, {
    code: 'ERR_PROCLEASH_NO_LOG',
    value: id,
    fix: 'Start it with the option log, a path; its outputs are streams or go elsewhere',
  })
}

function notAFile(path: string): LogError {
  return new LogError(`Could not read log ${path}: EINVAL`, {
    code: 'EINVAL',
    value: path,
    fix: 'It is a folder, a FIFO or a device: give the path of a file',
  })
}

function readError(path: string, error: unknown): LogError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO'
  return new LogError(`Could not read log ${path}: ${code}`, {
    code,
    value: path,
    fix: code === 'ELOOP' ? 'It is a symbolic link: give the path of the file itself' : errnoFix(code),
    cause: error,
  })
}
