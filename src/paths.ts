// Paths that are remembered: they must still mean the same when the host has gone elsewhere.

import { isAbsolute, resolve } from 'node:path'

/** From the host's working directory as it is now; the path itself where that was removed, and getcwd(3) fails. */
export function absolutePath(path: string): string {
  if (isAbsolute(path)) return path
  try {
    return resolve(path)
  } catch {
    return path
  }
}
