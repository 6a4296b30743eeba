// The tables of the page in docs/, in markdown.

import { memoryText, widthText } from './charts.mjs'
import { byLook, lookOf } from './look.mjs'

/** @typedef {import('./summary.mjs').Summary} Summary */

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function table(head, rows) {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0)))
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join(
    '\n',
  )
}

/** @param {readonly Summary[]} summaries Of one part. */
export function stopTable(summaries) {
  const head = [
    'tree',
    'by',
    'n',
    'median',
    'p95',
    'p99',
    'max',
    'said done',
    'left',
    'within 500 ms',
    'to floor',
  ]
  return table(
    head,
    grouped(summaries).map((each) => [
      treeText(each),
      lookOf(each.contender).label,
      String(each.count),
      ...spreadCells(each.metrics.gone, milliseconds),
      milliseconds(each.metrics.said?.median),
      leftText(each.left),
      percent(each.within),
      times(each.toFloor),
    ]),
  )
}

/** @param {readonly Summary[]} summaries */
export function abortTable(summaries) {
  return table(
    ['loop', 'tree', 'by', 'n', 'median', 'p95', 'max', 'left', 'within 500 ms'],
    grouped(summaries).map((each) => [
      String(each.case.loop),
      treeText(each),
      lookOf(each.contender).label,
      String(each.count),
      milliseconds(each.metrics.gone?.median),
      milliseconds(each.metrics.gone?.p95),
      milliseconds(each.metrics.gone?.max),
      leftText(each.left),
      percent(each.within),
    ]),
  )
}

/** @param {readonly Summary[]} summaries */
export function spawnTable(summaries) {
  return table(
    ['host', 'by', 'n', 'call, us', 'p95', 'p99', 'max', 'main runs, us', 'p95', 'to procleash'],
    grouped(summaries).map((each) => [
      memoryText(Number(each.case.memory)),
      lookOf(each.contender).label,
      String(each.count),
      ...spreadCells(each.metrics.call, microseconds),
      microseconds(each.metrics.main?.median),
      microseconds(each.metrics.main?.p95),
      times(each.toOurs),
    ]),
  )
}

/**
 * One metric of a part that is measured at two widths.
 *
 * @param {readonly Summary[]} summaries
 * @param {Readonly<Record<string, string>>} columns Metric to its title.
 */
export function widthTable(summaries, columns) {
  const cells = Object.entries(columns).flatMap(([, title]) => [title, 'worst 5 %'])
  return table(
    ['commands', 'by', 'n', ...cells, 'to procleash'],
    grouped(summaries).map((each) => [
      widthText(Number(each.case.width)),
      lookOf(each.contender).label,
      String(each.count),
      ...Object.keys(columns).flatMap((metric) => [
        figure(each.metrics[metric]?.median),
        figure(each.metrics[metric]?.p95),
      ]),
      times(each.toOurs),
    ]),
  )
}

/** @param {readonly Summary[]} summaries */
export function inspectTable(summaries) {
  return table(
    ['processes', 'by', 'n', 'median', 'p95', 'p99', 'max'],
    grouped(summaries).map((each) => [
      String(each.case.processes),
      lookOf(each.contender).label,
      String(each.count),
      ...spreadCells(each.metrics.time, milliseconds),
    ]),
  )
}

/** @param {readonly Summary[]} summaries */
export function costTable(summaries) {
  const rows = summaries.flatMap(({ metrics }) => [
    ['resident memory of the supervisor', `${figure(metrics.supervisorMemory?.median)} kB`],
    ['resident memory of a keeper, the largest', `${figure(metrics.keeperMemory?.max)} kB`],
    ['cpu of all in a second of rest', `${figure(metrics.idleCpu?.median)} ms`],
    ['cpu for a command that starts and ends', `${figure(metrics.commandCpu?.median)} ms`],
  ])
  return table(['', ''], rows)
}

/** Who was not measured, or not to the end, and why. @param {readonly Summary[]} summaries */
export function absentList(summaries) {
  const reasons = new Map()
  for (const { contender, absent, runtime, case: details } of summaries) {
    if (absent === undefined) continue
    const key = `**${lookOf(contender).label}**: ${absent}`
    const place = `${runtime}${details.size === undefined ? '' : ` (${details.shape}, ${details.size})`}`
    reasons.set(key, [...(reasons.get(key) ?? []), place])
  }
  return [...reasons].map(([reason, places]) => `- ${reason}. ${shortened([...new Set(places)])}`).join('\n')
}

/** @param {readonly string[]} places */
function shortened(places) {
  return places.length > 6 ? `${places.length} cases.` : `${places.join(', ')}.`
}

/** By case, and in each in the order of all legends. @param {readonly Summary[]} summaries */
function grouped(summaries) {
  const cases = [...new Set(summaries.map((each) => JSON.stringify(each.case)))]
  return summaries
    .filter(({ count }) => count > 0)
    .sort(
      (a, b) => cases.indexOf(JSON.stringify(a.case)) - cases.indexOf(JSON.stringify(b.case)) || byLook(a, b),
    )
}

/** @param {Summary} summary */
function treeText({ case: { shape, size } }) {
  return `${shape}, ${Number(size).toLocaleString('en')}`
}

/**
 * @param {import('./summary.mjs').Spread | undefined} spread
 * @param {(value: number | null | undefined) => string} text
 */
function spreadCells(spread, text) {
  return [text(spread?.median), text(spread?.p95), text(spread?.p99), text(spread?.max)]
}

/** @param {number | null | undefined} value */
function milliseconds(value) {
  if (value === undefined) return ''
  if (value === null) return 'never'
  return value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0)
}

/** @param {number | null | undefined} value Milliseconds. */
function microseconds(value) {
  return typeof value === 'number' ? (value * 1000).toFixed(0) : ''
}

/** @param {number | null | undefined} value */
function figure(value) {
  return typeof value === 'number' ? String(Number(value.toPrecision(3))) : ''
}

/** @param {number | undefined} left */
function leftText(left) {
  return left === undefined || left === 0 ? String(left ?? '') : `**${left}**`
}

/** @param {number | undefined} share */
function percent(share) {
  return share === undefined ? '' : `${(share * 100).toFixed(0)} %`
}

/** @param {number | undefined} ratio */
function times(ratio) {
  return ratio === undefined ? '' : ratio.toFixed(ratio < 10 ? 2 : 0)
}
