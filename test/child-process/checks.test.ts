// One script of checks against Node's own child_process, which is the reference, and against
// procleash/child-process, in every runtime. They differ where differences.ts says so, and nowhere else.

import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { hostProgram, runProgram } from '../support/program.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { differences, differencesTable } from './differences.js'

type Results = Readonly<Record<string, { readonly node: unknown; readonly given?: unknown }>>

/** JSON has no `undefined`: what a check gives as such is missing. */
async function runChecks(runtime: Runtime, implementation: 'node' | 'procleash'): Promise<Results> {
  const argv = hostProgram(runtime, 'child-process/checks.mjs', implementation)
  const { code, stdout, stderr } = await runProgram(argv, { deadline: 120_000 })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

function given(results: Results): Record<string, unknown> {
  return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, result.given]))
}

function expected(results: Results, but: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const inNode = Object.entries(results).map(([name, { node }]): [string, unknown] => [name, node])
  return { ...Object.fromEntries(inNode), ...but }
}

forEachRuntime((runtime) => {
  guardEachTest()

  it('procleash/child-process does what Node does, but for the listed differences', async () => {
    const results = await runChecks(runtime, 'procleash')
    const ours = Object.fromEntries(differences.map(({ check, here }) => [check, here]))
    expect(given(results)).toEqual(expected(results, ours))
  })

  it("the runtime's own child_process is the reference", async () => {
    const results = await runChecks(runtime, 'node')
    const departures = Object.entries(results).filter(
      ([, { node, given: value }]) => !isDeepStrictEqual(value, node),
    )
    // Bun's and Deno's are other implementations of it, whose departures are theirs and change with their versions.
    const isReference = runtime.name.startsWith('node')
    if (isReference) expect(departures).toEqual([])
    else {
      expect(departures.length).toBeLessThan(Object.keys(results).length / 3)
      // A check that got no answer has not cleared away.
      await endLeftProcesses()
    }
    const inNode = Object.fromEntries(differences.map(({ check, node }) => [check, node]))
    expect(expected(results, inNode)).toEqual(expected(results, {}))
  })
})

it('the docs show the differences', () => {
  const docs = readFileSync(new URL('../../docs/child-process.md', import.meta.url), 'utf8')
  // However wide an editor has made its columns.
  const narrow = docs.replaceAll(/ +\|/g, ' |').replaceAll(/-+ \|/g, '--- |')
  expect(narrow).toContain(differencesTable())
})
