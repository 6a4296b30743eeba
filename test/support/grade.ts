// The grade that the suite runs with: hosts inherit the variable.

import { expect } from 'vitest'
import type { ProcessId } from './proc.js'

export const isGroupGrade = process.env.PROCLEASH_GRADE === 'group'

/** The process as a host names it. Start times have another unit without native code: then the pid has to do. */
export function seenAs({ pid, startTime }: ProcessId): ProcessId {
  return { pid, startTime: isGroupGrade ? expect.any(Number) : startTime }
}
