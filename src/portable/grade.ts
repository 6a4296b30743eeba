// The refusal of what takes more than process groups.

import { gradeError } from '../grade.js'
import type { SpawnPlan } from '../options.js'
import { portableGrades } from './capabilities.js'

const HIGHEST = "'group' is the highest that can be had here"

/** @throws {GradeError} when the plan asks for a higher grade, for limits, or to drop more than user and group. */
export function checkPortableGrade({ grade: required, rights }: SpawnPlan): void {
  const { reasons } = portableGrades()
  const fix = `provide what is missing: ${reasons.join('; ')}`
  const { groups, capabilities, noNewPrivileges } = rights.options
  const option = Object.entries({ groups, capabilities, noNewPrivileges }).find(([, value]) => value)?.[0]
  if (option !== undefined) throw gradeError('tree', `by option ${option}; ${HIGHEST}`, fix)
  if (required === undefined || required === 'group') return
  throw gradeError(required, HIGHEST, fix)
}
