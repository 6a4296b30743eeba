// The grade that the suite runs with (PROCLEASH_GRADE), and what holds from which grade on. `npm run grades` makes the
// table of docs/grades.md from both.

import { it } from 'vitest'
import type { Grade } from '../../src/types.js'

const order: readonly Grade[] = ['group', 'tree', 'cgroup']

function suiteGrade(): Grade {
  return order.find((grade) => grade === process.env.PROCLEASH_GRADE) ?? 'tree'
}

/** A test of what a lower grade does not give; there it is skipped, and says so in its title. */
export function itHoldsFrom(least: Grade, title: string, body: () => Promise<void>): void {
  if (order.indexOf(suiteGrade()) >= order.indexOf(least)) it(title, body)
  else it.skip(`${title} (holds from grade ${least} on)`, body)
}
