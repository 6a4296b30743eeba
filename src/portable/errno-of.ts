// The errno of what a runtime throws. They agree on the name in `code` and on little else.

import { constants } from 'node:os'

const numbers: ReadonlyMap<string, number> = new Map([['ENOEXEC', 8], ...Object.entries(constants.errno)])

/** Negative. EACCES where there is none: Deno's refusals have no errno, and mean that. */
export function errnoOf(error: unknown): number {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return -((typeof code === 'string' ? numbers.get(code) : undefined) ?? constants.errno.EACCES)
}
