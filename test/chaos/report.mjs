// What a chaos run prints.

import { faultRows } from './tally.mjs'

/** @param {number} milliseconds */
export const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`

/**
 * @param {import('./run.mjs').Result} result
 * @param {number} total
 */
export function progressLine({ runtime, rounds, trees, failures, duration }, total) {
  return `${runtime}: ${rounds}/${total} rounds, ${trees} trees, ${failures.length} failed, ${seconds(duration)}`
}

/**
 * @param {import('./run.mjs').Failure} failure
 * @param {{ runtime: string, seed: string }} run
 */
export function failureText({ round, title, problems }, { runtime, seed }) {
  const list = problems.slice(0, 12).map((problem) => `  - ${problem}`)
  if (problems.length > list.length) list.push(`  - and ${problems.length - list.length} more`)
  return [
    `FAILED ${runtime}, round ${round} (${title}):`,
    ...list,
    `  again: npm run chaos -- --runtime ${runtime} --seed ${seed} --round ${round}`,
  ].join('\n')
}

/**
 * @param {readonly import('./run.mjs').Result[]} results
 * @param {string} seed
 */
export function summary(results, seed) {
  const rows = [
    ['runtime', 'rounds', 'trees', 'hosts', 'failed', 'beyond p50', 'p95', 'max', 'outside', 'time'],
    ...results.map((result) => [
      result.runtime,
      String(result.rounds),
      String(result.trees),
      String(result.hosts),
      String(result.failures.length),
      ...[0.5, 0.95, 1].map((share) => `${Math.round(quantile(result.beyond, share))} ms`),
      String(result.outside),
      seconds(result.duration),
    ]),
  ]
  return `seed ${seed}\n${table(rows)}\n\n${table([['rounds with', ...results.map(({ runtime }) => runtime)], ...faultRows(results)])}
beyond: from the longest budget to the last process of a fault's trees gone; below 0: within it.
outside: processes without mark and in a session of their own whose keeper and supervisor were killed together; only a
cgroup would find them, so the run ends them itself.`
}

/**
 * @param {readonly number[]} values
 * @param {number} share
 */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** @param {string[][]} rows */
export function table(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n')
}
