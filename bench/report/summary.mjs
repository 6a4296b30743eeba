// What is said of each point: quantiles of its times, what was left behind, ratios to those who ran in turn with it.

import { caseKeyOf, keyOf } from '../lib/results.mjs'
import { median, pairRatios, shareWithin } from '../lib/statistics.mjs'
import { BUDGET } from './budget.mjs'

/** @typedef {import('../lib/results.mjs').Point} Point */
/** @typedef {import('../lib/results.mjs').Results} Results */

/**
 * @typedef {object} Spread `null`: that share of the samples never came to an end.
 * @property {number | null} median
 * @property {number | null} p95
 * @property {number | null} p99
 * @property {number | null} max
 */

/**
 * @typedef {object} Summary
 * @property {string} part
 * @property {string} runtime
 * @property {Readonly<Record<string, string | number>>} case
 * @property {string} contender
 * @property {number} count Of the samples.
 * @property {Record<string, Spread>} metrics
 * @property {number} [left] The most processes that were left by one stop.
 * @property {number} [within] Share of the stops that were over within the budget.
 * @property {readonly (readonly [number, number])[]} [shares] Cumulative: milliseconds, share of the stops.
 * @property {number} [toFloor] Median of the ratios pair by pair to cgroup.kill.
 * @property {number} [toOurs] The same to procleash.
 * @property {string} [absent]
 */

const FLOOR = 'cgroup.kill'
export const OURS = 'procleash'
/** Points of a cumulative curve at most. */
const CURVE = 50
/** The metric whose ratios are told, by part. @type {Readonly<Record<string, string>>} */
export const METRICS = {
  teardown: 'gone',
  escalation: 'gone',
  interrupt: 'gone',
  'host-death': 'gone',
  spawn: 'main',
  'spawn-rate': 'rate',
  streams: 'rate',
  echo: 'trip',
  cost: 'commandCpu',
  inspect: 'time',
}

/** @param {Results} results @returns {Summary[]} */
export function summarize({ points }) {
  const table = new Map(points.map((point) => [keyOf(point), point]))
  return points.map((point) => summaryOf(point, table))
}

/**
 * @param {Point} point
 * @param {ReadonlyMap<string, Point>} table
 * @returns {Summary}
 */
function summaryOf(point, table) {
  const { part, runtime, case: details, contender, samples, absent } = point
  const names = Object.keys(samples)
  const gone = samples.gone ?? []
  /** @param {string} name */
  const ratioTo = (name) => {
    const other = table.get(`${caseKeyOf(point)} ${name}`)
    const metric = METRICS[part] ?? ''
    return other === undefined ? Number.NaN : ratioOf(point, other, metric)
  }
  const toFloor = ratioTo(FLOOR)
  const toOurs = ratioTo(OURS)
  return {
    part,
    runtime,
    case: details,
    contender,
    count: Math.max(0, ...names.map((name) => samples[name]?.length ?? 0)),
    metrics: Object.fromEntries(names.map((name) => [name, spreadOf(samples[name] ?? [])])),
    ...(samples.left && { left: Math.max(...samples.left.map((left) => left ?? 0)) }),
    ...(gone.length > 0 && { within: shareWithin(gone, BUDGET), shares: sharesOf(gone) }),
    ...(Number.isFinite(toFloor) && { toFloor }),
    ...(Number.isFinite(toOurs) && { toOurs }),
    ...(absent !== undefined && { absent }),
  }
}

/**
 * @param {Point} point
 * @param {Point} other
 * @param {string} metric
 */
export function ratioOf(point, other, metric) {
  return median(pairRatios(point.samples[metric] ?? [], other.samples[metric] ?? []))
}

/** @param {readonly (number | null)[]} values @returns {Spread} */
export function spreadOf(values) {
  const sorted = values.map((value) => value ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b)
  return {
    median: at(sorted, 0.5),
    p95: at(sorted, 0.95),
    p99: at(sorted, 0.99),
    max: at(sorted, 1),
  }
}

/**
 * The same as `quantile`, of values of which some are infinite.
 *
 * @param {readonly number[]} sorted
 * @param {number} share
 */
function at(sorted, share) {
  const place = (sorted.length - 1) * share
  const low = sorted[Math.floor(place)] ?? Number.POSITIVE_INFINITY
  const high = sorted[Math.ceil(place)] ?? Number.POSITIVE_INFINITY
  const value = low === high ? low : low + (high - low) * (place - Math.floor(place))
  return Number.isFinite(value) ? Number(value.toPrecision(4)) : null
}

/** @param {readonly (number | null)[]} values @returns {[number, number][]} */
function sharesOf(values) {
  const ended = values.filter((value) => value !== null).sort((a, b) => a - b)
  const step = Math.max(1, Math.ceil(ended.length / CURVE))
  return ended.flatMap((value, index) => {
    if (index % step !== 0 && index !== ended.length - 1) return []
    return [[Number(value.toPrecision(4)), Number(((index + 1) / values.length).toFixed(4))]]
  })
}
