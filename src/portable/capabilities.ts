// What can be had without native code: the grade `group`, and nothing that takes a keeper or the kernel's own lists.

import { missingPermissions } from '../permissions.js'
import type { Capabilities } from '../types.js'
import { VERSION } from '../version.js'
import { portableReason } from './reason.js'
import { system } from './system.js'

export type GradesHere = Pick<Capabilities, 'grade' | 'strongest' | 'reasons'>

const FIX = 'Use procleash in Linux, without PROCLEASH_GRADE; Deno needs --allow-ffi'

export function portableGrades(): GradesHere {
  const why = portableReason() ?? ''
  return {
    grade: 'group',
    strongest: 'group',
    reasons: [`cgroup: ${why}`, `tree: ${why}`, ...system.limits],
  }
}

export function portableCapabilities(): Capabilities {
  return {
    platform: process.platform,
    arch: process.arch,
    ...portableGrades(),
    pidfd: false,
    pidfdGroupSignal: false,
    subreaper: false,
    clone3: false,
    closeRange: false,
    children: false,
    procfs: 'missing',
    pty: false,
    cgroup: { usable: false, path: null, limits: [], reason: portableReason(), fix: FIX },
    permissions: missingPermissions(),
    versions: { procleash: VERSION, addon: null },
    helper: null,
  }
}
