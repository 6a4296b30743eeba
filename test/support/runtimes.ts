// The matrix: one describe block for each runtime. A runtime that isn't there is a failed test, not a silent skip.

import { describe, it } from 'vitest'
import { asHost, runtimes } from '../../scripts/runtimes.mjs'

export interface Runtime {
  readonly name: string
  /** Its program; to run as a host: `command` with `args`. */
  readonly executable: string
  readonly command: string
  readonly args: readonly string[]
  readonly version: string
  readonly missing?: string
}

/** All of them, or those that PROCLEASH_TEST_RUNTIMES names (`node20,bun`), for local work. */
export function chosenRuntimes(): Runtime[] {
  const chosen = process.env.PROCLEASH_TEST_RUNTIMES?.split(',').map((name) => name.trim())
  const all: Runtime[] = runtimes().map((runtime) => ({ ...asHost(runtime), executable: runtime.command }))
  if (chosen === undefined) return all
  const unknown = chosen.filter((name) => !all.some((runtime) => runtime.name === name))
  if (unknown.length > 0) throw new Error(`PROCLEASH_TEST_RUNTIMES: there is no ${unknown.join(', ')}`)
  return all.filter((runtime) => chosen.includes(runtime.name))
}

export function forEachRuntime(define: (runtime: Runtime) => void): void {
  defineFor(chosenRuntimes(), define)
}

/** For what no runtime has a part in: Node 24, or the first of those that were chosen. */
export function forOneRuntime(define: (runtime: Runtime) => void): void {
  const chosen = chosenRuntimes()
  defineFor([chosen.find(({ name }) => name === 'node24') ?? chosen[0]!], define)
}

function defineFor(chosen: readonly Runtime[], define: (runtime: Runtime) => void): void {
  for (const runtime of chosen) {
    describe(runtime.name, () => {
      if (runtime.missing === undefined) define(runtime)
      else {
        it('is installed', () => {
          throw new Error(`${runtime.name}: ${runtime.missing}`)
        })
      }
    })
  }
}
