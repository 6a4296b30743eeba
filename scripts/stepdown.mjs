// npm run test:stepdown -- [--without FEATURE]... [--runtime R]... [FILE]...
// Runs the whole suite once without each feature of the kernel, and once without all of them: each step down has to
// hold what the guarantees say. Node.js 24 runs all files, Bun and Deno those that the features matter to. A test may
// have a second try, as in CI; which needed one is said.
// Not among them: `subreaper`. Without it nothing can be proved; test/stop/no-subreaper.test.ts is about that.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const features = [
  'clone3',
  'pidfd_info',
  'pidfd_group',
  'pidfd',
  'close_range',
  'children',
  'memfd',
  'proc_events',
  'cgroup',
]
const steps = [...features, features.join(',')]
const some = ['test/stop/', 'test/escape/', 'test/guarantees/', 'test/spawn/', 'test/pipes/']
const parts = [
  { runtimes: 'node24', files: ['test/'] },
  { runtimes: 'bun,deno', files: some },
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { without: { type: 'string', multiple: true }, runtime: { type: 'string', multiple: true } },
})

const rows = [['without', 'hosts', 'tests', 'minutes']]
for (const disabled of values.without ?? steps) {
  for (const { runtimes, files } of chosenParts()) {
    console.log(`\nwithout ${disabled}: ${runtimes}`)
    const started = performance.now()
    const result = runSuite(disabled, runtimes, positionals.length > 0 ? positionals : files)
    const minutes = ((performance.now() - started) / 60_000).toFixed(1)
    rows.push([disabled === steps.at(-1) ? 'all of these' : disabled, runtimes, result, minutes])
  }
}
console.log(`\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`)

/** @returns {{ runtimes: string, files: string[] }[]} */
function chosenParts() {
  const chosen = values.runtime?.join(',')
  if (chosen === undefined) return parts
  return [parts.find(({ runtimes }) => runtimes === chosen) ?? { runtimes: chosen, files: some }]
}

/**
 * @param {string} disabled
 * @param {string} runtimes
 * @param {string[]} files
 * @returns {string} The last line of test-summary.mjs.
 */
function runSuite(disabled, runtimes, files) {
  const folder = mkdtempSync(join(tmpdir(), 'procleash-stepdown-'))
  const report = join(folder, 'report.json')
  const options = [
    '--project=suite',
    '--retry=1',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile=${report}`,
  ]
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...options, ...files],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, PROCLEASH_DISABLE: disabled, PROCLEASH_TEST_RUNTIMES: runtimes },
    },
  )
  if (status !== 0) process.exitCode = 1
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, 'scripts/test-summary.mjs'), '0', report, String(status)],
    { encoding: 'utf8' },
  )
  rmSync(folder, { recursive: true })
  process.stdout.write(stdout)
  return stdout.trim().split('\n').at(-1) ?? ''
}
