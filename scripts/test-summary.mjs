// Prints the last line of .ci/run: 'N passed, N failed[, N skipped]', from vitest's JSON report.
// Usage: test-summary.mjs <report> <exit code of npm test> <exit code of npm run check>
// Never says less than happened: a run that failed without a failed test (a file that doesn't load, an
// unhandled error, no report at all) counts as one failure, and so does a failed check.

import { readFileSync } from 'node:fs'

const [file = '', testCode, checkCode] = process.argv.slice(2)
const report = read(file)

let failed = report.numFailedTests
for (const suite of report.testResults) {
  if (suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed'))
    failed += 1
}
if (testCode !== '0' && failed === 0) failed += 1
if (checkCode !== '0') failed += 1
const skipped = report.numPendingTests + report.numTodoTests
console.log(`${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)

/**
 * @param {string} path
 * @returns {{
 *   numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number,
 *   testResults: { status: string, assertionResults: { status: string }[] }[]
 * }}
 */
function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
  }
}
