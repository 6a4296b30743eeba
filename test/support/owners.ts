// A host that has owners, tools and events at hand: test/hosts/owners.mjs.

import { beforeEach } from 'vitest'
import type { Owner } from '../../src/owners/types.js'
import type { processTools } from '../../src/tools/index.js'
import type { SpawnOptions, Subprocess } from '../../src/types.js'
import { guardEachTest } from './guard.js'
import { type Host, type HostOptions, startHost } from './host.js'
import { isAlive } from './proc.js'
import type { Runtime } from './runtimes.js'
import type { Tree } from './tree.js'

/** An event with the name of its channel. */
export interface SeenEvent {
  readonly name: 'spawn' | 'exit' | 'stop' | 'escalate' | 'lost' | 'settle'
  readonly id: string
  readonly pid: number
  readonly owner: readonly string[]
  readonly kind?: string
  readonly label?: string
  readonly file: string
  readonly startedAt: number
  readonly time: number
  readonly [detail: string]: unknown
}

/** What functions that run in the host find there. */
export interface Extras {
  readonly procleash: typeof import('../../src/index.js')
  /** Kept from one call to the next, by name. */
  readonly owners: Record<string, Owner>
  readonly commands: Record<string, Subprocess>
  readonly processTools: typeof processTools
  readonly diagnosticsChannel: typeof import('node:diagnostics_channel')
  /** `'no error'`, or class and code of what was thrown or rejected with. */
  codeOf(call: () => unknown): Promise<string>
  plant(owner: Owner, tree: PlantedTree, options?: SpawnOptions): Promise<Subprocess>
  collectEvents(): { readonly seen: SeenEvent[]; stop(): void }
  loopDelay<Result>(work: () => Promise<Result>): Promise<{ result: Result; longest: number }>
  delay(ms: number): Promise<void>
  load<Module>(name: string): Promise<Module>
}

declare global {
  /** In the host only. */
  var extras: Extras
}

/** The part of a tree that can travel as JSON. */
export type PlantedTree = Pick<Tree, 'file' | 'args' | 'env'>

export function portable({ file, args, env }: Tree): PlantedTree {
  return { file, args, env }
}

export async function startOwnerHost(runtime: Runtime, options: HostOptions = {}): Promise<Host> {
  const host = await startHost(runtime, { ...options, program: 'owners.mjs' })
  const { helper } = await host.event('ready')
  // The guard has to know the one supervisor that a living host may have.
  Object.assign(host, { helper: String(helper) })
  return host
}

/** The same runtime, able to import packages: Deno needs its package.json for that, which `--no-config` hides. */
export function withPackages(runtime: Runtime): Runtime {
  if (runtime.name !== 'deno') return runtime
  const args = runtime.args.filter((arg) => arg !== '--no-config')
  return { ...runtime, args: [...args, '--node-modules-dir=manual'] }
}

/** A host for all tests of the block, started again when one of them has ended it. Brings the guard along. */
export function useOwnerHost(runtime: Runtime): () => Host {
  guardEachTest()
  let host: Host | undefined
  beforeEach(async () => {
    if (host === undefined || !isAlive(host)) host = await startOwnerHost(runtime, { scope: 'file' })
  })
  return () => {
    if (host === undefined) throw new Error('the host starts before the first test, not earlier')
    return host
  }
}
