// The children of a runtime's own spawn that can be adopted. Types only.

import type { ChildProcess } from 'node:child_process'
import type { SpawnOptions } from './options.js'

/** What `Bun.spawn()` gives, as far as {@link adopt} needs it. */
export interface BunSubprocess {
  readonly pid: number
  readonly exitCode: number | null
  readonly signalCode: string | number | null
  readonly exited: Promise<unknown>
}

/** A `Deno.ChildProcess`, as far as {@link adopt} needs it. */
export interface DenoChildProcess {
  readonly pid: number
  readonly status: Promise<{ readonly code: number; readonly signal: string | null }>
}

/** What {@link adopt} takes: a child of the runtime's own spawn, the object itself and not one like it. */
export type AdoptableChild = ChildProcess | BunSubprocess | DenoChildProcess

/** Options of {@link adopt}: as of {@link SpawnOptions}. */
export type AdoptOptions = Pick<
  SpawnOptions,
  'owner' | 'kind' | 'label' | 'budget' | 'stopSignal' | 'leftovers'
>
