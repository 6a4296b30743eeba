// Errors in the shape that node:child_process gives them, for code that matches on it; what procleash itself says is
// their `cause`.

import type { SpawnError } from '../errors.js'

/** `exitCode` of a child of which nothing was started, where no errno says more: -ECANCELED. */
export const NOT_STARTED = -125

/** What Node's own `error` event of a failed start holds. */
export function startFailure(error: SpawnError, spawnfile: string, spawnargs: readonly string[]): Error {
  const { code, errno } = error
  const syscall = `spawn ${spawnfile}`
  return Object.assign(new Error(`${syscall} ${code}`, { cause: error }), {
    errno,
    code,
    syscall,
    path: spawnfile,
    spawnargs: spawnargs.slice(1),
  })
}

export function abortFailure(reason: unknown): Error {
  const error = new Error('The operation was aborted', { cause: reason })
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' })
}
