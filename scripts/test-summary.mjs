// Prints the last line of .ci/run: 'N passed, N failed[, N skipped]', from vitest's JSON reports.
// Usage: test-summary.mjs <exit code of npm run check> (<report> <exit code of its run>)...
// Never says less than happened: a run that failed without a failed test (a file that doesn't load, an
// unhandled error, no report at all) counts as one failure, and so does a failed check. Tests that passed at a second
// try only are named above the last line.

import { readFileSync } from 'node:fs'

const [checkCode, ...runs] = process.argv.slice(2)
const sum = { passed: 0, failed: checkCode === '0' ? 0 : 1, skipped: 0 }
for (let at = 0; at < runs.length; at += 2) add(read(runs[at] ?? ''), runs[at + 1])
console.log(`${sum.passed} passed, ${sum.failed} failed${sum.skipped > 0 ? `, ${sum.skipped} skipped` : ''}`)

/**
 * @param {ReturnType<typeof read>} report
 * @param {string | undefined} code
 */
function add(report, code) {
  let failed = report.numFailedTests
  for (const suite of report.testResults) {
    for (const { status, fullName, failureMessages } of suite.assertionResults) {
      if (status === 'passed' && failureMessages.length > 0)
        console.log(`passed at a second try: ${fullName}: ${failureMessages[0]?.split('\n', 1)[0]}`)
    }
    if (suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed'))
      failed += 1
  }
  if (code !== '0' && failed === 0) failed += 1
  sum.passed += report.numPassedTests
  sum.failed += failed
  sum.skipped += report.numPendingTests + report.numTodoTests
}

/**
 * @typedef {{ status: string, fullName: string, failureMessages: string[] }} Assertion
 * @param {string} path
 * @returns {{
 *   numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number,
 *   testResults: { status: string, assertionResults: Assertion[] }[]
 * }}
 */
function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
  }
}
