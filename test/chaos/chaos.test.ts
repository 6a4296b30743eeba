// The chaos run, as `npm run chaos` does it: random trees, random faults, and afterwards nothing is left and everything
// that was said was true.

import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { type ProgramResult, runProgram } from '../support/program.js'
import { chosenRuntimes, forEachRuntime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'

const program = fileURLToPath(new URL('../../scripts/chaos.mjs', import.meta.url))

const ROUNDS = 100
/** Any other is as good; this one makes the suite the same each time. PROCLEASH_CHAOS_SEED chooses another. */
const SEED = process.env.PROCLEASH_CHAOS_SEED ?? '1'
const DEADLINE = 300_000

async function runChaos(
  runtime: string,
  ...args: string[]
): Promise<ProgramResult & { readonly files: string[] }> {
  const folder = makeFolder('chaos')
  const argv = [process.execPath, program, '--runtime', runtime, '--seed', SEED, ...args]
  const result = await runProgram(argv, { deadline: DEADLINE, env: { TMPDIR: folder } })
  return { ...result, files: readdirSync(folder).filter((name) => name.startsWith('procleash-chaos-')) }
}

forEachRuntime((runtime) => {
  guardEachTest()

  it(`${ROUNDS} rounds of random trees and faults`, { timeout: DEADLINE }, async () => {
    const { code, stdout, stderr } = await runChaos(runtime.name, '--rounds', String(ROUNDS), '--lanes', '1')
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toContain(`${runtime.name}: ${ROUNDS}/${ROUNDS} rounds`)
  })
})

const [{ name } = { name: 'node20' }] = chosenRuntimes()

it('control: with child_process the same run finds what is left, and what was not true', async () => {
  const { code, stdout, files } = await runChaos(name, '--rounds', '12', '--control')
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /- left \d+ ms after the budget \(the host is gone\):\n {4}pid \d+ \(.*tree \d+\.\d+\): /,
  )
  expect(stdout).toMatch(/- tree \d+ settled 'empty' \(stop, subreaper\): pid \d+/)
  expect(stdout).toMatch(
    new RegExp(`again: npm run chaos -- --runtime ${name} --seed ${SEED} --round \\d+\n`),
  )
  expect(files).toEqual([])
}, 120_000)

it.each([
  { args: ['--rounds', '0'], message: '--rounds must be a positive integer, not 0' },
  { args: ['--round', 'x'], message: '--round must be a positive integer, not x' },
  { args: ['--runtime', 'node9'], message: '--runtime: there is no node9; there are node20, ' },
])('refuses $args', async ({ args, message }) => {
  const { code, stderr } = await runProgram([process.execPath, program, ...args])
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
