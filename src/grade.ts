// The grades that a spawn can have here, and the refusal of one below what is asked for.

import { type Native, PROCFS, Probe } from '../bindings/native.js'
import { cgroupCapability } from './cgroup.js'
import { GradeError } from './errors.js'
import { leastGrade } from './least-grade.js'
import { checkControllers } from './limits.js'
import type { SpawnPlan } from './options.js'
import type { Capabilities, Grade } from './types.js'

type GradeHere = Pick<Capabilities, 'grade' | 'strongest' | 'reasons'>

/** Grades that can be had: a spawn does not probe for them again. What is missing may be provided meanwhile. */
const found = new WeakMap<Native, ReadonlySet<Grade>>()

/** Why no grade is higher is part of the answer. */
export function gradeOf(native: Native): GradeHere {
  const cgroup = cgroupCapability(native)
  const lacks = lacksOfTree(native.probe())
  const grade = lacks.length === 0 ? 'tree' : 'group'
  if (cgroup.usable) {
    return { grade: leastGrade() === 'cgroup' ? 'cgroup' : grade, strongest: 'cgroup', reasons: lacks }
  }
  return { grade, strongest: grade, reasons: [`cgroup: ${cgroup.reason}`, ...lacks] }
}

/**
 * @throws {GradeError} when the plan asks for more than can be had.
 * @throws {LimitError} when it asks for a limit that can't be set.
 */
export function checkGrade(native: Native, { grade: required, limits }: SpawnPlan): void {
  if (required === undefined) return
  if (!found.get(native)?.has(required)) {
    const here = available(native)
    if (!here.has(required)) {
      const { strongest, reasons } = gradeOf(native)
      const highest = `'${strongest}' is the highest that can be had here`
      throw gradeError(required, highest, `provide what is missing: ${missing(native, reasons)}`)
    }
    found.set(native, here)
  }
  if (required === 'cgroup') checkControllers(limits, cgroupCapability(native))
}

/** Not always all below the strongest: without a subreaper a tree has a cgroup of its own or no proof. */
function available(native: Native): ReadonlySet<Grade> {
  const here = new Set<Grade>(['group'])
  if (lacksOfTree(native.probe()).length === 0) here.add('tree')
  if (cgroupCapability(native).usable) here.add('cgroup')
  return here
}

export function gradeError(required: Grade, why: string, fix: string): GradeError {
  return new GradeError(`Grade '${required}' is required, ${why}`, {
    code: 'ERR_PROCLEASH_GRADE',
    value: required,
    fix: `Require less, or ${fix}`,
  })
}

function missing(native: Native, reasons: readonly string[]): string {
  const { fix } = cgroupCapability(native)
  return [...reasons, ...(fix === null ? [] : [fix])].join('; ')
}

function lacksOfTree(probe: ArrayLike<number>): readonly string[] {
  const lacks: string[] = []
  const procfs = procfsOf(probe)
  if (probe[Probe.subreaper] !== 1) lacks.push('tree: the kernel refuses PR_SET_CHILD_SUBREAPER')
  // Escaped processes are found in /proc; in another PID namespace's /proc the numbers mean other processes.
  if (procfs === 'foreign')
    lacks.push('tree: /proc belongs to another PID namespace; mount a /proc of this one')
  if (procfs === 'missing') lacks.push('tree: /proc is not mounted')
  return lacks
}

export function procfsOf(probe: ArrayLike<number>): Capabilities['procfs'] {
  return PROCFS[probe[Probe.procfs] ?? PROCFS.indexOf('missing')] ?? 'missing'
}
