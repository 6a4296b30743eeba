// Whose turn it is. All are measured in every round, in an order that rotates, until a point has its samples: ours and
// the others' then lie right beside each other in time, and make pairs.

import { median } from './statistics.mjs'

/** @typedef {Readonly<Record<string, number | null>>} Sample By metric; `null` where the end never came. */

/**
 * @typedef {object} Goal
 * @property {number} [leaves] Samples of a contender that has left something every time. Default: 10.
 * @property {string} metric The one that decides, in milliseconds.
 * @property {number} rounds Samples of a point.
 * @property {number} fastRounds Samples where the median is below FAST.
 */

const FAST = 50
/** What was left behind by each of the first stops is left behind by all. */
const LEAVES = 10
/** Milliseconds. A contender whose every measurement takes SLOW gets no more than ENOUGH for all of them. */
const SLOW = 3000
const ENOUGH = 10_000
/** Failures in a row after which a contender is given up. */
const FAILURES = 2

/**
 * @param {readonly string[]} names
 * @param {Goal} goal
 */
export function createTurns(names, { metric, rounds, fastRounds, leaves = LEAVES }) {
  const states = new Map(names.map((name) => [name, fresh()]))
  let round = 0

  /** @param {State} state */
  const isDone = ({ samples, walls, failures }) => {
    if (failures.length >= FAILURES) return true
    const count = samples.length
    if (count > 0 && Math.min(...walls) > SLOW && sum(walls) > ENOUGH) return true
    if (count >= leaves && samples.every((sample) => (sample.left ?? 0) > 0)) return true
    if (count < rounds) return false
    return count >= fastRounds || !isFast(samples.map((sample) => sample[metric] ?? Number.POSITIVE_INFINITY))
  }

  return {
    /** Those of the next round, in its order; empty when all have their samples. */
    next() {
      const start = round % names.length
      round += 1
      const order = [...names.slice(start), ...names.slice(0, start)]
      return order.filter((name) => !isDone(stateOf(states, name)))
    },
    /**
     * @param {string} name
     * @param {Sample} sample
     * @param {number} wall Milliseconds that the whole measurement took.
     */
    record(name, sample, wall) {
      const state = stateOf(states, name)
      state.samples.push(sample)
      state.walls.push(wall)
      state.failures = []
    },
    /**
     * @param {string} name
     * @param {string} message
     */
    fail(name, message) {
      stateOf(states, name).failures.push(message)
    },
    /** @param {string} name Whether it has a sample or was given up. */
    has: (name) => hasOne(stateOf(states, name)),
    hasOneOfEach: () => [...states.values()].every(hasOne),
    /** @param {string} name Why it was given up. */
    failureOf(name) {
      const { failures } = stateOf(states, name)
      return failures.length >= FAILURES ? failures[0] : undefined
    },
    /** 0 to 1, of the rounds that every contender gets. */
    share() {
      return Math.min(1, round / rounds)
    },
  }
}

/** @typedef {{ samples: Sample[], walls: number[], failures: string[] }} State */

/** @param {State} state */
function hasOne({ samples, failures }) {
  return samples.length > 0 || failures.length >= FAILURES
}

/** @returns {State} */
function fresh() {
  return { samples: [], walls: [], failures: [] }
}

/**
 * @param {Map<string, State>} states
 * @param {string} name
 */
function stateOf(states, name) {
  const state = states.get(name)
  if (state === undefined) throw new Error(`nobody is called ${name}`)
  return state
}

/** @param {readonly number[]} times */
function isFast(times) {
  return median(times) < FAST
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}
