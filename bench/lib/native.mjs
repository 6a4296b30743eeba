// Small C programs of benchmarks and tests, compiled when they are first needed.

import { spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../build/bench', import.meta.url))

/**
 * Path of the program, newer than its source.
 *
 * @param {string} source Relative to bench/.
 */
export function compiled(source) {
  const input = fileURLToPath(new URL(`../${source}`, import.meta.url))
  const output = join(folder, basename(source, '.c'))
  if (modified(output) > modified(input)) return output
  mkdirSync(folder, { recursive: true })
  const compiler = process.env.CC ?? 'cc'
  // Whoever else needs it at the same time gets a whole one.
  const mine = `${output}.${process.pid}`
  const { error, status, stderr } = spawnSync(
    compiler,
    ['-std=gnu17', '-D_GNU_SOURCE', '-O2', '-Wall', '-Wextra', '-o', mine, input],
    { encoding: 'utf8' },
  )
  if (error) throw new Error(`${compiler} is needed for ${source}: ${error.message}`)
  if (status !== 0) throw new Error(`${compiler} failed on ${source}:\n${stderr}`)
  renameSync(mine, output)
  return output
}

/** @param {string} path Milliseconds; 0 when there is no such file. */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
