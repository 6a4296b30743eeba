// npm run test:sanitize -- [--thread|--valgrind] [--short] [--report FILE] [TEST FILE OR FOLDER]...
// The suite, or a part of it, with Node 24 as the host, and native code with the address sanitizer and that of undefined
// behaviour; --thread: the addon with the thread sanitizer; --valgrind: the helper under Valgrind. --short is CI's: where
// the compiler has no such sanitizer, it is a skipped test in FILE, vitest's JSON report. Works in a copy of the built
// tree, build/Sanitize. Fails where a test does, and where the tool has found anything.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './clang.mjs'
import { ensureInstalled } from './debian.mjs'
import { buildSanitized, copyTree, sanitizerLibrary } from './sanitized-build.mjs'
import { valgrindFindings, writeValgrindHelper } from './valgrind.mjs'

const { values, positionals } = parseArgs({
  options: {
    thread: { type: 'boolean', default: false },
    valgrind: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    report: { type: 'string' },
  },
  allowPositionals: true,
})
const tool = chosenTool()
const inTest = (/** @type {string[]} */ ...names) => names.map((name) => `test/${name}`)
/** Where a fault would hurt most. All of it is `test`. */
const USUAL = inTest('stop', 'escape', 'pipes', 'guarantees', 'result', 'foreign')
const PARTS = {
  address: values.short ? inTest('stop', 'pipes/bytes.test.ts') : USUAL,
  thread: USUAL,
  valgrind: inTest('stop', 'escape', 'pipes', 'host-death'),
}

/** Of a test, and of what is before and after it: five times the usual, as all deadlines (test/support/sanitizer.ts). */
const PATIENT = ['--testTimeout=300000', '--hookTimeout=300000']

const tree = join(root, 'build/Sanitize', tool)
const reports = join(tree, 'build/reports')

if (tool === 'valgrind') ensureInstalled({ valgrind: 'valgrind' })
const preload = tool === 'valgrind' ? undefined : sanitizerLibrary(tool)
if (tool !== 'valgrind' && preload === undefined) {
  leaveOut(`needs g++ with the library of the ${tool} sanitizer`)
} else {
  copyTree(tree)
  await buildSanitized(tree, tool)
  process.exitCode = sanitize()
}

/** @returns {import('./sanitized-build.mjs').Tool} */
function chosenTool() {
  if (values.valgrind) return 'valgrind'
  return values.thread ? 'thread' : 'address'
}

function sanitize() {
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports)
  // Hosts and helpers of any user write there.
  chmodSync(reports, 0o777)
  const failed = runTests() !== 0
  const { logs, findings } = tool === 'valgrind' ? valgrindFindings(reports) : sanitizerReports()
  for (const text of findings) console.log(`\n${text}`)
  const of = tool === 'valgrind' ? ` in ${logs} processes` : ''
  console.log(`${tool}: ${findings.length} reports${of}, the tests ${failed ? 'FAILED' : 'passed'}`)
  return failed || findings.length > 0 ? 1 : 0
}

function sanitizerReports() {
  const names = readdirSync(reports)
  const findings = names.map((name) => `${name}\n${readFileSync(join(reports, name), 'utf8')}`)
  return { logs: names.length, findings }
}

/** @param {string} reason */
function leaveOut(reason) {
  console.log(`${tool}: ${values.short ? 'skipped' : 'FAILED'}: ${reason}`)
  if (!values.short) process.exitCode = 1
  else if (values.report !== undefined) {
    const skipped = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 1, numTodoTests: 0 }
    writeFileSync(values.report, JSON.stringify({ ...skipped, testResults: [] }))
  }
}

function runTests() {
  const vitest = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--root',
    tree,
    '--project=suite',
    ...PATIENT,
  ]
  const json = values.report && [
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${resolve(values.report)}`,
  ]
  // The thread sanitizer wants its memory where the kernel's random layout may put something else.
  const [file = '', ...args] = [
    ...(tool === 'thread' ? ['setarch', '-R'] : []),
    ...[
      process.execPath,
      ...vitest,
      ...(json || []),
      ...(positionals.length > 0 ? positionals : PARTS[tool]),
    ],
  ]
  const env = {
    ...process.env,
    PROCLEASH_TEST_RUNTIMES: 'node24',
    PROCLEASH_TEST_SANITIZER: tool,
    ...(tool === 'valgrind' ? { PROCLEASH_HELPER: writeValgrindHelper(tree, reports) } : sanitizerOptions()),
  }
  return spawnSync(file, args, { cwd: tree, env, stdio: 'inherit' }).status
}

function sanitizerOptions() {
  const common = `log_path=${join(reports, 'report')}`
  const signals = ['segv', 'sigbus', 'sigfpe', 'sigill', 'abort'].map((name) => `handle_${name}=0`).join(':')
  return {
    PROCLEASH_TEST_PRELOAD: preload,
    // Node frees little at its end: what it leaves says nothing. Signals are sent by tests, not by faults alone: a fault
    // that is one fails its test.
    ASAN_OPTIONS: `${common}:detect_leaks=0:quarantine_size_mb=8:abort_on_error=1:${signals}`,
    UBSAN_OPTIONS: `${common}:print_stacktrace=1`,
    TSAN_OPTIONS: `${common}:exitcode=66:report_signal_unsafe=0:${signals}:ignore_noninstrumented_modules=1`,
  }
}
