// Finds the native sources and the clang tools for check and format. Installs a missing tool only where
// that needs no question: root on a machine with apt-get.

import { spawnSync } from 'node:child_process'
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
  // What tests compile of their own is only formatted: it includes sources for what they keep to themselves.
  const folders = which === 'all' ? ['native', 'test'] : ['native']
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${folder}/${file}`,
      ),
    )
    .filter((file) => pattern.test(file) && !file.includes('/node_modules/'))
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

/** clang++ with libFuzzer and the sanitizers. Throws as {@link ensureTool} does. */
export function ensureFuzzer() {
  ensureInstalled({ 'clang++': 'clang' })
  if (links('-fsanitize=fuzzer,address')) return
  const { stdout } = spawnSync('clang++', ['-dumpversion'], { encoding: 'utf8' })
  throw new Error(
    `clang++ lacks libFuzzer. Debian, Ubuntu: apt-get install libclang-rt-${stdout.split('.')[0]}-dev`,
  )
}

/** @param {string} flag */
function links(flag) {
  const program = 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }'
  const args = [flag, '-x', 'c++', '-', '-o', '/dev/null']
  return spawnSync('clang++', args, { input: program, stdio: ['pipe', 'ignore', 'ignore'] }).status === 0
}
