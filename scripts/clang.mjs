// Finds the native sources and the clang tools for check and format. Installs a missing tool only where
// that needs no question: root on a machine with apt-get.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled } from './debian.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Paths relative to the root, of C and C++ sources and, unless left out, headers.
 *
 * @param {'all' | 'units'} which `units` are the files that are compiled by themselves.
 */
export function nativeFiles(which) {
  const pattern = which === 'all' ? /\.(c|cc|cpp|h|hh|hpp)$/ : /\.(c|cc|cpp)$/
  if (!existsSync(join(root, 'native'))) return []
  return readdirSync(join(root, 'native'), { recursive: true, encoding: 'utf8' })
    .filter((file) => pattern.test(file))
    .map((file) => `native/${file}`)
    .sort()
}

/**
 * Throws with instructions when the tool is neither there nor installable.
 *
 * @param {'clang-format' | 'clang-tidy'} tool
 */
export function ensureTool(tool) {
  ensureInstalled({ [tool]: tool })
}
