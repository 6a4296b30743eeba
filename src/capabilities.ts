// What this machine offers, by probing; no kernel version is ever compared.

import { type Native, PROCFS, Probe } from '../bindings/native.js'
import { getReactor } from './reactor.js'
import type { Capabilities, Grade } from './types.js'
import { VERSION } from './version.js'

/**
 * What the containment of a spawn can rely on here, and the grade that follows from it. Starts no process.
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
    versions: { procleash: VERSION, addon: native.version },
    helper: helperPath,
  }
}

/** The grade that a spawn gets, and why not a higher one. */
export function gradeOf(native: Native): { readonly grade: Grade; readonly reasons: readonly string[] } {
  const probe = native.probe()
  const procfs = procfsOf(probe)
  const reasons = ['cgroup: not supported by this version']
  if (probe[Probe.subreaper] !== 1) reasons.push('tree: the kernel refuses PR_SET_CHILD_SUBREAPER')
  // Escaped processes are found in /proc; in another PID namespace's /proc the numbers mean other processes.
  if (procfs === 'foreign')
    reasons.push('tree: /proc belongs to another PID namespace; mount a /proc of this one')
  if (procfs === 'missing') reasons.push('tree: /proc is not mounted')
  return { grade: reasons.length === 1 ? 'tree' : 'group', reasons }
}

function procfsOf(probe: ArrayLike<number>): Capabilities['procfs'] {
  return PROCFS[probe[Probe.procfs] ?? PROCFS.indexOf('missing')] ?? 'missing'
}
