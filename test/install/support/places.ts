// Where things are that the install tests use.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Runtime, runtimes } from '../../../scripts/runtimes.mjs'

export const root = fileURLToPath(new URL('../../../', import.meta.url))
/** Has a package.json of its own: package managers, bundlers, Node 26. */
export const toolsFolder = fileURLToPath(new URL('../tools/', import.meta.url))
export const programsFolder = fileURLToPath(new URL('../programs/', import.meta.url))

/** Kept between runs: what was fetched and need not be fetched again. */
export function cacheFolder(name: string): string {
  return join(root, '.cache/install', name)
}

/** A file of a package that the tools folder has. */
export function tool(path: string): string {
  return join(toolsFolder, 'node_modules', path)
}

export function runtimeNamed(name: string): Runtime {
  const found = runtimes().find((runtime) => runtime.name === name)
  if (found === undefined || found.missing !== undefined) throw new Error(`${name}: ${found?.missing}`)
  return found
}
