// What a run of properties prints.

import { seconds, table } from '../chaos/report.mjs'
import { faultRows } from '../chaos/tally.mjs'

/**
 * @typedef {import('./run.mjs').Result} Result
 * @typedef {import('./run.mjs').Failure} Failure
 */

/**
 * @param {Result} result
 * @param {number} total
 */
export function progressLine({ runtime, rounds, trees, processes, duration, failure }, total) {
  const end = failure === undefined ? '' : ', failed'
  return `${runtime}: ${rounds}/${total} rounds, ${trees} trees, ${processes} processes, ${seconds(duration)}${end}`
}

/**
 * The failure as found, as small as it could be made, and how to have it again.
 *
 * @param {Failure} failure
 * @param {{ runtime: string, seed: number, smaller: number }} run
 */
export function failureText({ round, problems, first, firstProblems, path }, { runtime, seed, smaller }) {
  return [
    `FAILED ${runtime}, ${first.title}, ${first.trees.length} trees:`,
    ...listed(firstProblems),
    `the smallest of ${smaller} more that were tried (${round.title}):`,
    ...round.trees.map(({ index, script }) => `  tree ${index}: ${script === '' ? '(stays)' : script}`),
    ...listed(problems),
    `  again: npm run properties -- --runtime ${runtime} --seed ${seed} --path ${path}`,
    `  or:    npm run properties -- --runtime ${runtime} --runs 10 --case '${JSON.stringify(round)}'`,
  ].join('\n')
}

/** @param {readonly string[]} problems */
const listed = (problems) => problems.slice(0, 8).map((problem) => `  - ${problem}`)

/** @param {readonly Result[]} results */
export function summary(results) {
  return table([
    ['', ...results.map(({ runtime }) => runtime)],
    ['rounds', ...results.map(({ rounds }) => String(rounds))],
    ['trees', ...results.map(({ trees }) => String(trees))],
    ['processes', ...results.map(({ processes }) => String(processes))],
    ['not at rest', ...results.map(({ unsettled }) => String(unsettled))],
    ['failed', ...results.map(({ failure }) => (failure === undefined ? '0' : '1'))],
    ['time', ...results.map(({ duration }) => seconds(duration))],
    ...faultRows(results).map(([name, ...counts]) => [`  ${name}`, ...counts]),
  ])
}
