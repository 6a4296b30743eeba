// What the figures have to show, and whether they do.

import { quantile } from '../lib/statistics.mjs'
import { BUDGET } from './budget.mjs'
import { memoryText, widthText } from './charts.mjs'
import { OURS, ratioOf } from './summary.mjs'

/** @typedef {import('./summary.mjs').Summary} Summary */
/** @typedef {import('../lib/results.mjs').Results} Results */
/** @typedef {{ readonly title: string, readonly figure: string, readonly target: string, readonly met: boolean }} Target */

const MOST_TO_FLOOR = 1.2
const MOST_SPAWN_MICROSECONDS = 50
const MOST_TIMES_WITH_MEMORY = 1.3
const MOST_TO_BUN = 1.1
const HOST_DEATH_ALLOWANCE = 20
/** Fewer say nothing about one in a thousand. */
const ENOUGH_FOR_P999 = 1000

/**
 * Those that were measured.
 *
 * @param {Results} results
 * @param {readonly Summary[]} summaries
 * @returns {Target[]}
 */
export function targetsOf(results, summaries) {
  const ours = summaries.filter(({ contender, count }) => contender === OURS && count > 0)
  return [
    ...ours.flatMap(floor),
    ...escalation(results),
    ...spawnCall(ours),
    ...bunSpawn(results),
    ...streams(results),
    ...ours.flatMap(hostDeath),
  ]
}

/** @param {Summary} summary @returns {Target[]} */
function floor({ part, runtime, case: { shape, size }, toFloor }) {
  if (part !== 'teardown' || shape !== 'setsid' || toFloor === undefined) return []
  if (Number(size) < 10 || Number(size) > 1000) return []
  return [
    {
      title: `stop of ${size} processes, ${runtime}, against cgroup.kill`,
      figure: `${toFloor.toFixed(2)} times`,
      target: `<= ${MOST_TO_FLOOR}`,
      met: toFloor <= MOST_TO_FLOOR,
    },
  ]
}

/** @param {Results} results @returns {Target[]} */
function escalation({ points }) {
  return points
    .filter(({ part, contender, samples }) => part === 'escalation' && contender === OURS && samples.gone)
    .map(({ runtime, case: { size }, samples }) => {
      const times = (samples.gone ?? []).map((time) => time ?? Number.POSITIVE_INFINITY)
      const enough = times.length >= ENOUGH_FOR_P999
      const time = quantile(times, enough ? 0.999 : 1)
      return {
        title: `escalated stop of ${size} processes, ${runtime}`,
        figure: `${enough ? 'p99.9' : 'max'} of ${times.length}: ${time.toFixed(0)} ms`,
        target: `p99.9 of ${ENOUGH_FOR_P999} <= ${BUDGET} ms`,
        met: time <= BUDGET,
      }
    })
}

/** @param {readonly Summary[]} ours @returns {Target[]} */
function spawnCall(ours) {
  const calls = ours.filter(({ part }) => part === 'spawn')
  return calls.map(({ runtime, case: { memory }, metrics }) => {
    const time = (metrics.call?.median ?? Number.NaN) * 1000
    const small = calls.find((each) => each.runtime === runtime && each.case.memory === 0)
    const times = time / ((small?.metrics.call?.median ?? Number.NaN) * 1000)
    return {
      title: `spawn() blocks the loop, ${runtime}, ${memoryText(Number(memory))}`,
      figure: `${time.toFixed(0)} us, ${times.toFixed(2)} times the small host's`,
      target: `<= ${MOST_SPAWN_MICROSECONDS} us, <= ${MOST_TIMES_WITH_MEMORY} times`,
      met: time <= MOST_SPAWN_MICROSECONDS && times <= MOST_TIMES_WITH_MEMORY,
    }
  })
}

/** @param {Results} results @returns {Target[]} */
function bunSpawn({ points }) {
  const [ours, theirs] = [OURS, 'bun.spawn'].map((name) =>
    points.find(
      ({ part, runtime, case: { memory }, contender }) =>
        part === 'spawn' && runtime === 'bun' && memory === 0 && contender === name,
    ),
  )
  if (ours === undefined || theirs === undefined) return []
  const ratio = ratioOf(ours, theirs, 'main')
  return [
    {
      title: "the command's main runs, bun, against Bun.spawn",
      figure: `${ratio.toFixed(2)} times`,
      target: `<= ${MOST_TO_BUN}`,
      met: ratio <= MOST_TO_BUN,
    },
  ]
}

/** Ours is the faster of the two ways to read; against the fastest of the others. @param {Results} results @returns {Target[]} */
function streams({ points }) {
  const reads = points.filter(({ part, samples }) => part === 'streams' && samples.rate)
  const places = new Map(reads.map((point) => [`${point.runtime} ${point.case.width}`, point]))
  return [...places.values()].flatMap(({ runtime, case: { width } }) => {
    const here = reads.filter((point) => point.runtime === runtime && point.case.width === width)
    const ours = here.filter(({ contender }) => contender.startsWith(OURS))
    const theirs = here.filter(({ contender }) => !contender.startsWith(OURS))
    if (ours.length === 0 || theirs.length === 0) return []
    const ratio = Math.max(
      ...ours.map((one) => Math.min(...theirs.map((other) => ratioOf(one, other, 'rate')))),
    )
    return [
      {
        title: `output of ${widthText(Number(width))}, ${runtime}, against the fastest other way`,
        figure: `${ratio.toFixed(2)} times`,
        target: '>= 1.0',
        met: ratio >= 1,
      },
    ]
  })
}

/** @param {Summary} summary @returns {Target[]} */
function hostDeath({ part, runtime, case: { shape, size }, metrics, left }) {
  if (part !== 'host-death' || shape !== 'deaf' || size !== 100) return []
  const time = metrics.gone?.p95 ?? null
  const most = BUDGET + HOST_DEATH_ALLOWANCE
  return [
    {
      title: `host killed, ${size} processes that ignore SIGTERM, ${runtime}`,
      figure: time === null ? `${left} left` : `p95 ${time.toFixed(0)} ms, ${left} left`,
      target: `<= ${most} ms, 0 left`,
      met: left === 0 && time !== null && time <= most,
    },
  ]
}
