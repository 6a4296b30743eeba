// What this machine offers, by probing; no kernel version is ever compared.

import { Probe } from '../bindings/native.js'
import { cgroupCapability } from './cgroup.js'
import { gradeOf, procfsOf } from './grade.js'
import { missingPermissions } from './permissions.js'
import { portableCapabilities } from './portable/capabilities.js'
import { portableReason } from './portable/reason.js'
import { getReactor } from './reactor.js'
import type { Capabilities } from './types.js'
import { VERSION } from './version.js'

/**
 * What the containment of a spawn can rely on here, and the grade that follows from it. Starts no process. To see
 * whether a tree can have a cgroup, it makes an empty one and removes it, once for each thread.
 *
 * @throws {NativeMissingError} when the addon can't be loaded.
 */
export function capabilities(): Capabilities {
  if (portableReason() !== null) return portableCapabilities()
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
