// What can be had on this machine, and why not more. Types only.

import type { Grade, Limits } from './options.js'

/** What a tree can be limited in. */
export type LimitName = keyof Limits

/** Whether a tree can have a cgroup of its own; see cgroups(7), version 2. */
export interface CgroupCapability {
  readonly usable: boolean
  /** The folder in which it would be made; `null` when none was found. */
  readonly path: string | null
  /** What its controllers can limit. */
  readonly limits: readonly LimitName[]
  /** Why it can't be used; `null` when it can. */
  readonly reason: string | null
  /** What to do about that; `null` when it can be used. */
  readonly fix: string | null
}

/** A flag that Deno was started without. */
export interface MissingPermission {
  readonly flag: string
  readonly effect: string
}

/** What {@link capabilities} finds by probing. */
export interface Capabilities {
  readonly platform: string
  readonly arch: string
  /** The grade of a spawn that asks for none. */
  readonly grade: Grade
  /** The highest grade that `require` can have. */
  readonly strongest: Grade
  /** Why none is higher, each with what is missing; empty when there is none. */
  readonly reasons: readonly string[]
  readonly pidfd: boolean
  readonly pidfdGroupSignal: boolean
  readonly subreaper: boolean
  readonly clone3: boolean
  readonly closeRange: boolean
  /** `/proc/PID/task/TID/children` */
  readonly children: boolean
  /** `foreign`: /proc belongs to another PID namespace. */
  readonly procfs: 'own' | 'foreign' | 'missing'
  /** Whether a pseudo-terminal can be opened (pty(7)). */
  readonly pty: boolean
  readonly cgroup: CgroupCapability
  /** Deno only: the flags that were not given, and what follows from each. Empty elsewhere. */
  readonly permissions: readonly MissingPermission[]
  /** `addon` is `null` where no native code is used. */
  readonly versions: { readonly procleash: string; readonly addon: string | null }
  /**
   * The helper that would be started; `''` in a bundle, where the addon's own copy is run from memory; `null` where none
   * is used.
   */
  readonly helper: string | null
}
