// Looks for programs the way a shell does.

import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** @param {string} program A name to be found in PATH, or a path. */
export function isInstalled(program) {
  if (program.includes('/')) return existsSync(program)
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
}
