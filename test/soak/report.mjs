// What a soak run prints.

import { table } from '../chaos/report.mjs'

/** @typedef {import('./run.mjs').Run} Run */
/** @typedef {import('./verdict.mjs').Finding} Finding */

const MOST_TROUBLES = 12

/** @param {number} milliseconds */
function minutes(milliseconds) {
  return `${(milliseconds / 60_000).toFixed(1)} min`
}

/** @param {Run} run */
export function countOf({ done }) {
  return Object.values(done).reduce((sum, count) => sum + count, 0)
}

/** @param {Run} run */
export function progressLine(run) {
  const { runtime, duration, rests, troubles, work } = run
  const now = work.at(-1)
  const memory =
    now === undefined ? '' : `, ${Math.round(now.rss / 1024)} MiB, ${now.descriptors} descriptors`
  return `${runtime}: ${minutes(duration)}, ${countOf(run)} acts, ${rests.length} rests, ${troubles.length} troubles${memory}`
}

/**
 * @param {Run} run
 * @param {readonly Finding[] | undefined} findings
 */
export function summary(run, findings) {
  const { runtime, version, duration, cpu, done, rests, troubles, interrupted } = run
  const acts = Object.entries(done)
    .toSorted()
    .map(([name, count]) => `${name} ${count}`)
  return [
    `${runtime} ${version}: ${minutes(duration)}${interrupted ? ', interrupted' : ''}, ${countOf(run)} acts, ${rests.length} rests, ${Math.round(cpu * 100)} % of a core`,
    `  ${acts.join(', ')}`,
    findings === undefined ? 'no verdict: too few rests' : verdict(findings),
    ...troubles.slice(0, MOST_TROUBLES).map((trouble) => `TROUBLE ${trouble}`),
    ...(troubles.length > MOST_TROUBLES ? [`and ${troubles.length - MOST_TROUBLES} more`] : []),
    resultOf(run, findings),
  ].join('\n')
}

/**
 * @param {Run} run
 * @param {readonly Finding[] | undefined} findings
 */
export function isGood({ troubles, interrupted }, findings) {
  return troubles.length === 0 && (findings?.every(({ flat }) => flat) ?? interrupted)
}

/**
 * @param {Run} run
 * @param {readonly Finding[] | undefined} findings
 */
function resultOf(run, findings) {
  if (run.troubles.length > 0) return `${run.runtime}: FAILED, ${run.troubles.length} troubles`
  if (findings === undefined) return `${run.runtime}: nothing left`
  const steep = findings.filter(({ flat }) => !flat).map(({ name }) => name)
  return steep.length === 0
    ? `${run.runtime}: flat, nothing left`
    : `${run.runtime}: FAILED, not flat: ${steep.join(', ')}`
}

/** @param {readonly Finding[]} findings */
function verdict(findings) {
  return table([
    ['', 'middle third', 'last third', 'may be above by', 'per hour', ''],
    ...findings.map(({ name, unit, middle, last, bound, perHour, flat }) => [
      `${name}${unit === '' ? '' : `, ${unit}`}`,
      round(middle),
      round(last),
      round(bound),
      round(perHour),
      flat ? 'flat' : 'NOT FLAT',
    ]),
  ])
}

/** @param {number} value */
function round(value) {
  return String(Math.round(value * 100) / 100)
}
