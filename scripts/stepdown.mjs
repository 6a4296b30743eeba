// Runs the whole suite once with each feature of the kernel turned off, and once with all of them: each step down has
// to hold what the guarantees say. Arguments go to vitest: a file, or -t.
// PROCLEASH_TEST_RUNTIMES restricts the runtimes; five times the suite in all of them takes most of an hour.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const steps = ['clone3', 'pidfd_group', 'pidfd', 'close_range', 'children']

/** @type {string[]} */
const failed = []
for (const disabled of [...steps, steps.join(',')]) {
  console.log(`\nwithout ${disabled}`)
  const started = performance.now()
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)],
    { cwd: root, stdio: 'inherit', env: { ...process.env, PROCLEASH_DISABLE: disabled } },
  )
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  console.log(`without ${disabled}: ${status === 0 ? 'passed' : 'FAILED'}, ${minutes} minutes`)
  if (status !== 0) failed.push(disabled)
}
console.log(failed.length === 0 ? 'every step down holds' : `failed without: ${failed.join(' | ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
