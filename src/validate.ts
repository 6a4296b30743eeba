// The checks that options are made of. Each names the option, shows the value and says the fix; none of them
// changes a value.

import { type InvalidOptionCode, InvalidOptionError } from './errors.js'

/** Largest time in milliseconds: 2^31-1, about 24.8 days, the runtimes' own limit for timers. */
export const MAX_TIME = 2 ** 31 - 1

/** Largest number of a pid_t; the kernel itself gives no more than 2^22. */
export const MAX_PID = 2 ** 31 - 1

function invalid(
  code: InvalidOptionCode,
  option: string,
  must: string,
  value: unknown,
  fix: string,
): InvalidOptionError {
  return new InvalidOptionError({ code, option, must, value, fix })
}

/** A plain object; `undefined` counts as `{}`. */
export function checkObject(value: unknown, option: string): void {
  if (value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value))) return
  throw invalid(
    'ERR_INVALID_ARG_TYPE',
    option,
    'be an object',
    value,
    `Pass an object, or leave ${option} out`,
  )
}

/** A string that a C string can carry: execve(2) and open(2) end theirs at the first NUL. */
export function checkString(value: unknown, option: string): asserts value is string {
  if (typeof value !== 'string') {
    throw invalid('ERR_INVALID_ARG_TYPE', option, 'be a string', value, 'Convert it with String(value)')
  }
  if (value.includes('\0')) {
    throw invalid('ERR_INVALID_ARG_VALUE', option, 'not contain a NUL byte', value, 'Remove the NUL byte')
  }
}

export function checkNonEmptyString(value: unknown, option: string): asserts value is string {
  checkString(value, option)
  if (value !== '') return
  throw invalid('ERR_INVALID_ARG_VALUE', option, 'not be empty', value, `Give ${option} a value`)
}

export function checkBoolean(value: unknown, option: string): asserts value is boolean {
  if (typeof value === 'boolean') return
  throw invalid(
    'ERR_INVALID_ARG_TYPE',
    option,
    'be true or false',
    value,
    'Give one of these, or leave it out',
  )
}

/** Milliseconds, a whole number or not. */
export function checkTime(
  value: unknown,
  option: string,
  range: 'at least 0' | 'above 0',
  fix: string,
): asserts value is number {
  if (typeof value !== 'number') {
    throw invalid('ERR_INVALID_ARG_TYPE', option, 'be a number of milliseconds', value, fix)
  }
  // Written so that NaN fails too.
  if ((range === 'at least 0' ? value >= 0 : value > 0) && value <= MAX_TIME) return
  throw invalid('ERR_OUT_OF_RANGE', option, `be ${range} and at most ${MAX_TIME} milliseconds`, value, fix)
}

/** A whole number from 0 to `most`. */
export function checkCount(
  value: unknown,
  option: string,
  most: number,
  fix: string,
): asserts value is number {
  if (typeof value !== 'number') throw invalid('ERR_INVALID_ARG_TYPE', option, 'be a number', value, fix)
  if (Number.isInteger(value) && value >= 0 && value <= most) return
  throw invalid('ERR_OUT_OF_RANGE', option, `be a whole number from 0 to ${most}`, value, fix)
}

/** A number that can name a process, or that people take for one: whole, maybe negative. */
export function checkPid(value: unknown, option: string): asserts value is number {
  const fix = 'Give the number of a running process'
  if (typeof value !== 'number') throw invalid('ERR_INVALID_ARG_TYPE', option, 'be a number', value, fix)
  if (Number.isInteger(value) && Math.abs(value) <= MAX_PID) return
  throw invalid('ERR_OUT_OF_RANGE', option, `be a whole number of at most ${MAX_PID}`, value, fix)
}

export function checkOneOf<Choice extends string>(
  value: unknown,
  option: string,
  choices: readonly Choice[],
): asserts value is Choice {
  if (choices.some((choice) => choice === value)) return
  const few = choices.slice(0, 4).map((choice) => `'${choice}'`)
  const list = few.length < choices.length ? `one of ${few.join(', ')}, ...` : few.join(' or ')
  const code = typeof value === 'string' ? 'ERR_INVALID_ARG_VALUE' : 'ERR_INVALID_ARG_TYPE'
  throw invalid(code, option, `be ${list}`, value, 'Give one of these, or leave it out')
}

/** By shape, not by class: a signal may come from another realm or a polyfill. */
export function checkAbortSignal(value: unknown, option: string): asserts value is AbortSignal {
  if (typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value) return
  throw invalid(
    'ERR_INVALID_ARG_TYPE',
    option,
    'be an AbortSignal',
    value,
    'Pass the signal of an AbortController',
  )
}
