// What this machine offers, by probing; no kernel version is ever compared.

import { type Native, PROCFS, Probe } from '../bindings/native.js'
import { cgroupCapability } from './cgroup.js'
import { missingPermissions } from './permissions.js'
import { getReactor } from './reactor.js'
import type { Capabilities, Grade } from './types.js'
import { VERSION } from './version.js'

/**
 * What the containment of a spawn can rely on here, and the grade that follows from it. Starts no process. To see
 * whether a tree can have a cgroup, it makes an empty one and removes it, once for each thread.
 *
 * @throws {NativeMissingError} when the addon can't be loaded.
 */
export function capabilities(): Capabilities {
  const { native, helperPath } = getReactor()
  const probe = native.probe()
  const has = (index: number): boolean => probe[index] === 1
  return {
    platform: process.platform,
    arch: process.arch,
    ...gradeOf(native),
    pidfd: has(Probe.pidfd),
    pidfdGroupSignal: has(Probe.pidfdGroupSignal),
    subreaper: has(Probe.subreaper),
    clone3: has(Probe.clone3),
    closeRange: has(Probe.closeRange),
    children: has(Probe.children),
    procfs: procfsOf(probe),
    pty: has(Probe.pty),
    cgroup: cgroupCapability(native),
    permissions: missingPermissions(),
    versions: { procleash: VERSION, addon: native.version },
    helper: helperPath,
  }
}

type GradeHere = Pick<Capabilities, 'grade' | 'strongest' | 'reasons'>

/** The grades that a spawn can have, and why no higher ones. */
export function gradeOf(native: Native): GradeHere {
  const probe = native.probe()
  const lacks = lacksOfTree(probe)
  const grade: Grade = lacks.length === 0 ? 'tree' : 'group'
  return { grade, strongest: grade, reasons: ['cgroup: not supported by this version', ...lacks] }
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

function procfsOf(probe: ArrayLike<number>): Capabilities['procfs'] {
  return PROCFS[probe[Probe.procfs] ?? PROCFS.indexOf('missing')] ?? 'missing'
}
