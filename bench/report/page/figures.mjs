// The table below the charts.

import { byLook, lookOf } from '../look.mjs'

/** @typedef {import('../summary.mjs').Summary} Summary */

const HEAD = ['', 'samples', 'median', 'p95', 'p99', 'max', 'left', 'within 500 ms', 'to floor']

/**
 * @param {HTMLTableElement} table
 * @param {readonly Summary[]} summaries
 * @param {{ runtime: string, shape: string, size: number, contenders: readonly string[] }} view
 */
export function fillTable(table, summaries, { runtime, shape, size, contenders }) {
  const rows = summaries
    .filter((each) => each.part === 'teardown' && each.runtime === runtime)
    .filter((each) => each.case.shape === shape && each.case.size === size)
    .filter(({ contender }) => contenders.includes(contender))
    .sort(byLook)
  table.replaceChildren(rowOf('th', HEAD), ...rows.map(rowOfSummary))
}

/** @param {Summary} summary */
function rowOfSummary({ contender, count, metrics, left, within, toFloor, absent }) {
  const label = lookOf(contender).label
  if (count === 0) {
    const row = rowOf('td', [label, absent ?? 'not measured'])
    row.lastElementChild?.setAttribute('colspan', String(HEAD.length - 1))
    row.classList.add('absent')
    return row
  }
  const { median, p95, p99, max } = metrics.gone ?? {}
  const row = rowOf('td', [
    label,
    String(count),
    ...[median, p95, p99, max].map((time) => (typeof time === 'number' ? time.toPrecision(3) : 'never')),
    String(left ?? ''),
    within === undefined ? '' : `${(within * 100).toFixed(0)} %`,
    toFloor?.toFixed(2) ?? '',
  ])
  if (left !== undefined && left > 0) row.children[6]?.classList.add('left')
  return row
}

/**
 * @param {'th' | 'td'} tag
 * @param {readonly string[]} cells
 */
function rowOf(tag, cells) {
  const row = document.createElement('tr')
  for (const cell of cells) {
    const place = document.createElement(tag)
    place.textContent = cell
    row.append(place)
  }
  return row
}
