// The file of results: what it was measured on, and every sample. Written again and again, so that a run that is
// broken off keeps what it has.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { atExit } from './cleanup.mjs'

export const FORMAT = 1

/**
 * @typedef {object} Point All samples of one contender in one case.
 * @property {string} part
 * @property {string} runtime
 * @property {Readonly<Record<string, string | number>>} case What was measured: shape, size, memory.
 * @property {string} contender
 * @property {Record<string, (number | null)[]>} samples By metric; times are milliseconds.
 * @property {string} [absent] Why there are no samples, or not more of them.
 */

/**
 * @typedef {object} Results
 * @property {number} format
 * @property {string} began ISO 8601.
 * @property {string} mode `full` or `quick`.
 * @property {boolean} complete False when the run was broken off.
 * @property {import('./machine.mjs').Environment} environment
 * @property {Point[]} points
 */

/**
 * @param {string} file
 * @param {{ mode: string, environment: import('./machine.mjs').Environment }} about
 */
export function createResults(file, { mode, environment }) {
  /** @type {Results} */
  const results = {
    format: FORMAT,
    began: new Date().toISOString(),
    mode,
    complete: false,
    environment,
    points: [],
  }
  const save = () => writeResults(file, results)
  atExit(save)
  return {
    results,
    save,
    /** @param {Omit<Point, 'samples'>} about */
    point(about) {
      /** @type {Point} */
      const point = { ...about, samples: {} }
      results.points.push(point)
      return point
    },
    finish() {
      results.complete = true
      save()
    },
  }
}

/**
 * @param {Point} point
 * @param {Readonly<Record<string, number | null>>} sample
 */
export function addSample(point, sample) {
  for (const [metric, value] of Object.entries(sample)) {
    point.samples[metric] ??= []
    point.samples[metric].push(value === null ? null : Number(value.toPrecision(6)))
  }
}

/**
 * One point a line, so that a diff shows what was measured again.
 *
 * @param {string} file
 * @param {Results} results
 */
export function writeResults(file, { points, ...about }) {
  const head = JSON.stringify(about, undefined, 2).replace(/\n\}$/, '')
  const lines = points.map((point) => `    ${JSON.stringify(point)}`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.part`, `${head},\n  "points": [\n${lines.join(',\n')}\n  ]\n}\n`)
  renameSync(`${file}.part`, file)
}

/** @param {string} file @returns {Results} */
export function readResults(file) {
  const results = JSON.parse(readFileSync(file, 'utf8'))
  if (results.format !== FORMAT) throw new Error(`${file}: format ${results.format}, not ${FORMAT}`)
  return results
}

/**
 * Of several files, the later ones first: a point is taken from the last file that has it.
 *
 * @param {readonly Results[]} all
 * @returns {Results}
 */
export function mergeResults(all) {
  const last = all.at(-1)
  if (last === undefined) throw new Error('no results')
  const points = new Map(all.flatMap((results) => results.points.map((point) => [keyOf(point), point])))
  return { ...last, complete: all.every(({ complete }) => complete), points: [...points.values()] }
}

/** @param {Pick<Point, 'part' | 'runtime' | 'case' | 'contender'>} point */
export function keyOf(point) {
  return `${caseKeyOf(point)} ${point.contender}`
}

/** @param {Pick<Point, 'part' | 'runtime' | 'case'>} point The same for all contenders that ran in turn. */
export function caseKeyOf({ part, runtime, case: details }) {
  return [
    part,
    runtime,
    ...Object.keys(details)
      .sort()
      .map((name) => `${name}=${details[name]}`),
  ].join(' ')
}
