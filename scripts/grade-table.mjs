// Runs the tests of the guarantees with each grade and writes what holds into docs/grades.md, between two comments.
// PROCLEASH_TEST_RUNTIMES restricts the runtimes, as for the suite. A test may have a second try, as in CI. Fails, and
// writes nothing, when a test fails.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { release, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runtimes } from './runtimes.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs/grades.md')
const BEGIN = '<!-- made by npm run grades -->'
const END = '<!-- end -->'
/** How itHoldsFrom() of test/support/grades.ts marks a test. */
const HIGHER = / \(holds from grade \w+ on\)$/

/** It shows that the test can fail; nothing holds by it. */
const CONTROL = /^control:/

/** For grade group too, which the suite runs in one alone. */
const hosts =
  process.env.PROCLEASH_TEST_RUNTIMES ??
  runtimes()
    .map(({ name }) => name)
    .join(',')

/** Grades that can be asked for, the weakest first. */
const GRADES = ['group', 'tree', 'cgroup']

/**
 * `lacks`: what only a higher grade gives. `chance`: what passes or fails with luck and load. `skipped`: what this machine has not the means for.
 * @typedef {{ passed: number, lacks: string[], chance: number, skipped: number }} Cell
 */

/** @type {[string, string][]} */
const guarantees = [
  ['g1', 'G1 whole tree'],
  ['g2', 'G2 budget'],
  ['g3', 'G3 own clock'],
  ['g4', 'G4 host death'],
  ['g5', 'G5 supervisor death'],
  ['g6', 'G6 truthful'],
  ['g7', 'G7 isolation'],
  ['g8', 'G8 never the wrong one'],
  ['g9', 'G9 good guest'],
  ['g10', 'G10 one behaviour'],
  ['g11', 'G11 no hang'],
  ['g12', 'G12 owners apart'],
]

const columns = GRADES.map((grade) => ({ grade, cells: testWith(grade) }))
const text = readFileSync(page, 'utf8')
const [before, rest] = text.split(BEGIN)
const after = rest?.split(END)[1]
if (before === undefined || after === undefined) throw new Error(`${page} has no ${BEGIN} and ${END}`)
writeFileSync(page, `${before}${BEGIN}\n\n${table()}\n${END}${after}`)
console.log(`written: ${page}`)

/**
 * @param {string} grade
 * @returns {Map<string, Cell>}
 */
function testWith(grade) {
  const folder = mkdtempSync(join(tmpdir(), 'procleash-grades-'))
  const report = join(folder, 'report.json')
  const args = [
    'run',
    'test/guarantees',
    '--retry=1',
    `--project=${grade === 'group' ? 'group' : 'suite'}`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  console.log(`grade ${grade}`)
  const { status } = spawnSync(process.execPath, [vitest, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PROCLEASH_GRADE: grade, PROCLEASH_TEST_RUNTIMES: hosts },
  })
  if (status !== 0) {
    rmSync(folder, { recursive: true })
    console.error(`With grade ${grade} a test has failed: nothing was written.`)
    process.exit(1)
  }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  rmSync(folder, { recursive: true })
  return cellsOf(testResults)
}

/**
 * @typedef {{ status: string, title: string, meta?: { doesNotHold?: boolean, byChance?: boolean } }} Assertion
 * @param {{ name: string, assertionResults: Assertion[] }[]} files
 * @returns {Map<string, Cell>}
 */
function cellsOf(files) {
  const cells = new Map()
  for (const { name, assertionResults } of files) {
    const key = basename(name).split('-')[0]
    /** @param {Assertion} test */
    const isLacking = ({ title, status, meta }) =>
      meta?.doesNotHold === true || (status !== 'passed' && HIGHER.test(title))
    const lacking = assertionResults.filter(isLacking)
    const others = assertionResults.filter((test) => !isLacking(test) && !CONTROL.test(test.title))
    const passed = others.filter(({ status }) => status === 'passed').length
    cells.set(key, {
      passed,
      lacks: [...new Set(lacking.map(({ title }) => title.replace(HIGHER, '')))],
      chance: others.filter(({ meta }) => meta?.byChance === true).length,
      skipped: others.filter(({ status, meta }) => status !== 'passed' && meta?.byChance !== true).length,
    })
  }
  return cells
}

function table() {
  const rows = [['guarantee', ...GRADES.map((grade) => `\`${grade}\``)]]
  for (const [key, title] of guarantees) {
    rows.push([title, ...columns.map((column) => describe(column.cells.get(key)))])
  }
  const made = `Linux ${release().split('-')[0]}, ${new Date().toISOString().slice(0, 10)}, hosts: ${hosts.replaceAll(',', ', ')}`
  return `${align(rows)}\n\nMade on ${made}. The numbers are tests that passed, controls not\ncounted; what holds with luck or on a free machine only is not run with grade group.\n`
}

/** @param {string[][]} rows */
function align(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const [head = '', ...rest] = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest].join('\n')
}

/** @param {Cell | undefined} cell */
function describe(cell) {
  if (cell === undefined) return 'not run'
  const luck = cell.chance === 0 ? '' : `, ${cell.chance} by luck`
  if (cell.passed === 0 && cell.lacks.length > 0) return `does not hold: ${cell.lacks.join('; ')}`
  if (cell.passed === 0) return cell.chance > 0 ? 'by luck only' : 'not run'
  const notRun = cell.skipped === 0 ? '' : `, ${cell.skipped} not run`
  const lacks = cell.lacks.length === 0 ? '' : `, but for: ${cell.lacks.join('; ')}`
  return `holds (${cell.passed}${luck}${notRun})${lacks}`
}
