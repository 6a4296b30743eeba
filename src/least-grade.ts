// The grade that nothing may be started below, whatever the options say: PROCLEASH_GRADE in this process's environment.

import { InvalidOptionError } from './errors.js'
import { isGranted } from './permissions.js'
import type { Grade } from './types.js'

/** The weakest first. */
export const grades: readonly Grade[] = ['group', 'tree', 'cgroup']

const VARIABLE = 'PROCLEASH_GRADE'

let known: { readonly grade: Grade | undefined } | undefined

/** `undefined` where the variable is not set. Read once. */
export function leastGrade(): Grade | undefined {
  known ??= { grade: read() }
  return known.grade
}

export function atLeast(one: Grade | undefined, other: Grade | undefined): Grade | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return grades.indexOf(one) > grades.indexOf(other) ? one : other
}

function read(): Grade | undefined {
  const value = isGranted({ name: 'env', variable: VARIABLE }) ? process.env[VARIABLE] : undefined
  if (value === undefined || value === '') return undefined
  const grade = grades.find((name) => name === value)
  if (grade !== undefined) return grade
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_VALUE',
    option: VARIABLE,
    must: `be one of ${grades.join(', ')}`,
    value,
    fix: 'Correct the variable in the environment of this program, or unset it',
  })
}
