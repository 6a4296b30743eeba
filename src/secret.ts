// Arguments, variables and input may hold secrets, and errors end in logs: what is wrong with one is said without
// showing it, neither in the message nor as the error's own value.

import { InvalidOptionError } from './errors.js'

/** As {@link checkString}. */
export function checkSecretString(value: unknown, option: string): asserts value is string {
  if (typeof value !== 'string') {
    throw secretError('ERR_INVALID_ARG_TYPE', option, 'be a string', value, 'Convert it with String(value)')
  }
  if (!value.includes('\0')) return
  throw secretError('ERR_INVALID_ARG_VALUE', option, 'not contain a NUL byte', value, 'Remove the NUL byte')
}

export function secretError(
  code: 'ERR_INVALID_ARG_TYPE' | 'ERR_INVALID_ARG_VALUE',
  option: string,
  must: string,
  value: unknown,
  fix: string,
): InvalidOptionError {
  return new InvalidOptionError({ code, option, must, value: undefined, shown: kindOf(value), fix })
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value !== 'string') return `a value of type ${typeof value}`
  const nul = value.indexOf('\0')
  return `a string of ${value.length} characters${nul === -1 ? '' : ` with a NUL at index ${nul}`}`
}
