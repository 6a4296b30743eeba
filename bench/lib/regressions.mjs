// What changed between two files of results: ratios to the floor and to the others, which hold on another day and on a
// busier machine, where times do not.

import { caseKeyOf, keyOf } from './results.mjs'
import { median, medianInterval, pairRatios } from './statistics.mjs'

/** @typedef {import('./results.mjs').Point} Point */
/** @typedef {import('./results.mjs').Results} Results */

/**
 * @typedef {object} Change
 * @property {string} title
 * @property {number} before
 * @property {number} after
 * @property {'worse' | 'better' | 'same'} verdict
 */

/** A change below this is not told from noise, however narrow the intervals are. */
const LEAST = 1.1
/** Fewer pairs say nothing. */
const FEWEST = 10

/** By part: the metric, and whether more of it is better. @type {Record<string, { metric: string, more?: boolean }>} */
const compared = {
  teardown: { metric: 'gone' },
  interrupt: { metric: 'gone' },
  'host-death': { metric: 'gone' },
  spawn: { metric: 'main' },
  'spawn-rate': { metric: 'rate', more: true },
  streams: { metric: 'rate', more: true },
  echo: { metric: 'trip' },
  inspect: { metric: 'time' },
}

/**
 * Of all that both have. Worse or better: the 99 % intervals of the two medians do not meet, and the medians are a
 * tenth apart at least.
 *
 * @param {Results} old
 * @param {Results} current
 * @returns {Change[]}
 */
export function changesBetween(old, current) {
  const before = new Map(old.points.map((point) => [keyOf(point), point]))
  return current.points.filter(({ contender }) => isOurs(contender)).flatMap((point) => changesOf(point))

  /** @param {Point} point @returns {Change[]} */
  function changesOf(point) {
    const earlier = before.get(keyOf(point))
    if (earlier === undefined) return []
    const rivals = current.points.filter(
      (other) => caseKeyOf(other) === caseKeyOf(point) && !isOurs(other.contender),
    )
    return [
      ...leftChange(earlier, point),
      ...rivals.flatMap((rival) => ratioChange(earlier, point, before.get(keyOf(rival)), rival)),
    ]
  }
}

/** @param {string} name */
function isOurs(name) {
  return name.startsWith('procleash')
}

/** One process that is left is worse, by whatever noise. @param {Point} earlier @param {Point} point @returns {Change[]} */
function leftChange(earlier, point) {
  const [before, after] = [earlier, point].map(({ samples }) => total(samples.left ?? []))
  if (before === undefined || after === undefined || before === after) return []
  return [{ title: `${keyOf(point)}: left`, before, after, verdict: after > before ? 'worse' : 'better' }]
}

/**
 * @param {Point} earlier
 * @param {Point} point
 * @param {Point | undefined} earlierRival
 * @param {Point} rival
 * @returns {Change[]}
 */
function ratioChange(earlier, point, earlierRival, rival) {
  const { metric, more } = compared[point.part] ?? {}
  if (metric === undefined || earlierRival === undefined) return []
  const before = pairRatios(earlier.samples[metric] ?? [], earlierRival.samples[metric] ?? [])
  const after = pairRatios(point.samples[metric] ?? [], rival.samples[metric] ?? [])
  if (before.length < FEWEST || after.length < FEWEST) return []
  return [
    {
      title: `${keyOf(point)}: ${metric} to ${rival.contender}`,
      before: median(before),
      after: median(after),
      verdict: more ? verdictOf(after, before) : verdictOf(before, after),
    },
  ]
}

/**
 * Of a ratio that should be small.
 *
 * @param {readonly number[]} before
 * @param {readonly number[]} after
 * @returns {Change['verdict']}
 */
function verdictOf(before, after) {
  const [old, current] = [medianInterval(before), medianInterval(after)]
  if (current.low > old.high && median(after) > median(before) * LEAST) return 'worse'
  if (current.high < old.low && median(before) > median(after) * LEAST) return 'better'
  return 'same'
}

/** @param {readonly (number | null)[]} values */
function total(values) {
  return values.reduce((/** @type {number} */ sum, value) => sum + (value ?? 0), 0)
}

/**
 * Prints what changed.
 *
 * @param {readonly Change[]} changes
 * @returns {boolean} Whether nothing got worse.
 */
export function printChanges(changes) {
  const worse = changes.filter(({ verdict }) => verdict === 'worse')
  const better = changes.filter(({ verdict }) => verdict === 'better')
  for (const { title, before, after, verdict } of [...worse, ...better]) {
    console.log(`${verdict.padEnd(6)}  ${title}: ${before.toPrecision(3)} -> ${after.toPrecision(3)}`)
  }
  console.log(
    `${changes.length} compared: ${worse.length} worse, ${better.length} better, the others the same`,
  )
  return worse.length === 0
}
