// Whether a soak run was flat, by numbers: the first third is for warming up, the last one is compared with the middle
// one. A leak grows with the work, so it shows whatever the level is.

import { median, quantile } from '../../bench/lib/statistics.mjs'

/**
 * @typedef {import('./sample.mjs').Rest} Rest
 * @typedef {import('./sample.mjs').Work} Work
 * @typedef {{ name: string, unit: string, middle: number, last: number, bound: number, perHour: number, flat: boolean }} Finding
 */

/** Below it, thirds have too few rests to say anything. */
export const LEAST_RESTS = 9
/** Minutes after which a runtime has compiled what it compiles and sized its heaps. */
const WARM = 5

const MEBIBYTE = 1024 * 1024

/**
 * @typedef {object} Measure
 * @property {string} name
 * @property {string} unit
 * @property {(rest: Rest) => number} value
 * @property {number} bound By how much the median of the last third may be above that of the middle one.
 */

/** @type {readonly Measure[]} */
const measures = [
  { name: 'host: descriptors', unit: '', value: ({ descriptors }) => descriptors, bound: 1 },
  {
    name: 'supervisor: memory',
    unit: 'KiB',
    value: ({ supervisorMemory }) => supervisorMemory,
    bound: 16,
  },
  {
    name: 'supervisor: descriptors',
    unit: '',
    value: ({ supervisorDescriptors }) => supervisorDescriptors,
    bound: 0,
  },
  { name: 'resident keeper: memory', unit: 'KiB', value: ({ keeperMemory }) => keeperMemory, bound: 16 },
  {
    name: 'resident keeper: descriptors',
    unit: '',
    value: ({ keeperDescriptors }) => keeperDescriptors,
    bound: 0,
  },
]

/** @param {number} minutes @returns {readonly Measure[]} */
function runtimeMeasures(minutes) {
  const warm = minutes >= WARM
  return [
    {
      name: 'host: memory',
      unit: 'MiB',
      value: ({ hostMemory }) => hostMemory / 1024,
      bound: warm ? 6 : 24,
    },
    { name: 'host: JavaScript heap', unit: 'MiB', value: ({ heap }) => heap / MEBIBYTE, bound: warm ? 1 : 6 },
    // A runtime starts the threads of its pools one by one, as it needs them.
    { name: 'host: threads', unit: '', value: ({ threads }) => threads, bound: warm ? 1 : 4 },
  ]
}

/**
 * @param {{ rests: readonly Rest[], work: readonly Work[], duration: number }} run
 * @returns {Finding[] | undefined} `undefined`: too short.
 */
export function judge({ rests, work, duration }) {
  if (rests.length < LEAST_RESTS) return undefined
  const findings = [...runtimeMeasures(duration / 60_000), ...measures].map(
    ({ name, unit, value, bound }) => {
      const points = rests.map((rest) => ({ at: rest.at, value: value(rest) }))
      return finding({ name, unit, points, bound, level: median })
    },
  )
  return [...findings, delayOf(work)]
}

/**
 * The quieter seconds tell: others' work on the machine delays the loop too, but a host that has more and more to do
 * has no quiet second any more.
 *
 * @param {readonly Work[]} work
 */
function delayOf(work) {
  const points = work.map(({ at, delay }) => ({ at, value: delay.high }))
  const [middle] = thirds(points)
  const bound = Math.max(10, quantile(valuesOf(middle), 0.25))
  return finding({
    name: 'host: event loop delay',
    unit: 'ms',
    points,
    bound,
    level: (values) => quantile(values, 0.25),
  })
}

/**
 * @typedef {{ at: number, value: number }} Point
 * @param {{ name: string, unit: string, points: readonly Point[], bound: number, level: (values: number[]) => number }} measure
 * @returns {Finding}
 */
function finding({ name, unit, points, bound, level }) {
  const [middle, last] = thirds(points).map((third) => level(valuesOf(third)))
  if (middle === undefined || last === undefined) throw new Error('there are three thirds')
  const perHour = slope(points.slice(Math.floor(points.length / 3))) * 3_600_000
  return { name, unit, middle, last, bound, perHour, flat: last - middle <= bound }
}

/**
 * The middle and the last one.
 *
 * @param {readonly Point[]} points
 * @returns {[readonly Point[], readonly Point[]]}
 */
function thirds(points) {
  const size = points.length / 3
  return [points.slice(Math.floor(size), Math.floor(2 * size)), points.slice(Math.floor(2 * size))]
}

/** @param {readonly Point[]} points */
function valuesOf(points) {
  return points.map(({ value }) => value)
}

/**
 * By least squares.
 *
 * @param {readonly Point[]} points
 */
function slope(points) {
  const mean = (/** @type {number[]} */ values) =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const at = mean(points.map((point) => point.at))
  const value = mean(valuesOf(points))
  const spread = points.reduce((sum, point) => sum + (point.at - at) ** 2, 0)
  return points.reduce((sum, point) => sum + (point.at - at) * (point.value - value), 0) / spread
}
