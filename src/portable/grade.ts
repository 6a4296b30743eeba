// The refusal of what takes more than process groups.

import { gradeError } from '../grade.js'
import type { SpawnPlan } from '../options.js'
import { portableGrades } from './capabilities.js'

/** @throws {GradeError} when the plan asks for a higher grade, or for limits. */
export function checkPortableGrade({ grade: required }: SpawnPlan): void {
  if (required === undefined || required === 'group') return
  const { reasons } = portableGrades()
  throw gradeError(
    required,
    "'group' is the highest that can be had here",
    `provide what is missing: ${reasons.join('; ')}`,
  )
}
