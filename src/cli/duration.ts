// Durations of the command line, in milliseconds.

import { MAX_TIME } from '../validate.js'

const units: ReadonlyMap<string | undefined, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  // As timeout(1) reads it.
  [undefined, 1000],
])

/** Reads `500ms`, `2s`, `1.5m`, `1h`, or a bare number of seconds; `undefined` when it is none, or above 2^31-1 ms. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d+(?:\.\d*)?|\.\d+)(ms|s|m|h)?$/.exec(text) ?? []
  const factor = units.get(unit)
  if (digits === undefined || factor === undefined) return undefined
  const duration = Number(digits) * factor
  return duration <= MAX_TIME ? duration : undefined
}
