// Finds the native sources and the clang tools for check and format. Installs a missing tool only where
// that needs no question: root on a machine with apt-get.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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
  if (works(tool)) return
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(
      `${tool} is not installed. Debian, Ubuntu: apt-get install ${tool}; Fedora: dnf install clang-tools-extra`,
    )
  }
  console.log(`  installing ${tool} by apt-get`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', tool],
  ]) {
    const apt = spawnSync('apt-get', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    if (apt.status !== 0) throw new Error(`apt-get ${args.join(' ')} failed:\n${apt.stdout}${apt.stderr}`)
  }
  if (!works(tool)) throw new Error(`${tool} still doesn't run after its installation`)
}

/** @param {string} tool */
function works(tool) {
  return spawnSync(tool, ['--version'], { stdio: 'ignore' }).status === 0
}
