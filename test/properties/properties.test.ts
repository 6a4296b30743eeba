// Properties, as `npm run properties` looks at them: random trees of a small language, random actions at random moments.

import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { type ProgramResult, runProgram } from '../support/program.js'
import { chosenRuntimes, forEachRuntime } from '../support/runtimes.js'

const program = fileURLToPath(new URL('../../scripts/properties.mjs', import.meta.url))

const RUNS = 15
/** Any other is as good: the same each time, so that the suite is steady. */
const SEED = '7'
const DEADLINE = 240_000

function runProperties(
  runtime: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramResult> {
  return runProgram([process.execPath, program, '--runtime', runtime, ...args], { deadline: DEADLINE, env })
}

/** The scripts of the smallest round that was found. */
function smallest(stdout: string): string[] {
  const [, text = ''] = /the smallest of [^\n]*\n(( {2}tree [^\n]*\n)*)/.exec(stdout) ?? []
  return text.split('\n').flatMap((line) => /^ {2}tree \d+: (.*)$/.exec(line)?.[1] ?? [])
}

forEachRuntime((runtime) => {
  guardEachTest()

  it(`${RUNS} rounds hold`, { timeout: DEADLINE }, async () => {
    const { code, stdout, stderr } = await runProperties(runtime.name, [
      ...['--runs', String(RUNS)],
      ...['--seed', SEED],
    ])
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toContain(`${runtime.name}: ${RUNS}/${RUNS} rounds`)
  })
})

const [{ name } = { name: 'node20' }] = chosenRuntimes()

it('control: a host that signals process groups is found, and what it can not do is made small', async () => {
  const { code, stdout, stderr } = await runProperties(name, ['--control', '--seed', '1'])
  expect(code, stdout + stderr).toBe(1)
  const scripts = smallest(stdout)
  expect(scripts, stdout).toHaveLength(1)
  expect(scripts[0]?.split(' ').length, stdout).toBeLessThanOrEqual(6)
  // As a lie in a settlement, or as one that is left; after an exec without a name of its own it is `exe`.
  expect(stdout).toMatch(/pid \d+ \((scripted|exe), /)
  const [, again = ''] = /again: npm run properties -- (.*)\n/.exec(stdout) ?? []
  expect(again).toMatch(new RegExp(`^--runtime ${name} --seed 1 --path [\\d:]+$`))
}, 240_000)

it('control: a settlement that is not true in one word is found, and one word shows it', async () => {
  const { code, stdout, stderr } = await runProperties(name, ['--seed', '1'], {
    PROCLEASH_CHAOS_LIE: 'escalated',
  })
  expect(code, stdout + stderr).toBe(1)
  expect(stdout).toContain('ended without SIGKILL, which it does not do')
  expect(smallest(stdout), stdout).toHaveLength(1)
  expect(smallest(stdout)[0], stdout).toMatch(/^(ignore|block|trap \{ \})$/)

  // What was printed gives it again.
  const [, round = ''] = /--case '(.*)'\n/.exec(stdout) ?? []
  const again = await runProperties(name, ['--case', round], { PROCLEASH_CHAOS_LIE: 'escalated' })
  expect(again.code, again.stdout).toBe(1)
  expect((await runProperties(name, ['--case', round])).code).toBe(0)
}, 240_000)

it.each([
  { args: ['--runs', '0'], message: '--runs must be a positive integer, not 0' },
  { args: ['--seed', 'x'], message: '--seed must be a positive integer, not x' },
])('refuses $args', async ({ args, message }) => {
  const { code, stderr } = await runProperties(name, args)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
