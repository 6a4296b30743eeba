// The soak run, as `npm run soak` does it, for some seconds: as much as shows that it works and that it finds what it is
// there for. Hours are for those who have them.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { acts } from '../hosts/soak/acts.mjs'
import { guardEachTest } from '../support/guard.js'
import { descendantsOf } from '../support/proc.js'
import { runProgram } from '../support/program.js'
import { chosenRuntimes } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { waitUntil } from '../support/wait.js'

const program = fileURLToPath(new URL('../../scripts/soak.mjs', import.meta.url))
const DEADLINE = 300_000

guardEachTest()

/** One of each engine, of those that are wanted. */
const chosen = chosenRuntimes().map(({ name }) => name)
const engines = ['node24', 'bun', 'deno'].filter((name) => chosen.includes(name))
const runtimes = engines.length > 0 ? engines : chosen.slice(0, 1)
const [first = 'node24'] = runtimes

async function soak(args: readonly string[], started?: (pid: number) => void) {
  const output = makeFolder('soak')
  const folder = makeFolder('soak')
  const argv = [process.execPath, program, '--output', output, ...args]
  const result = await runProgram(argv, {
    deadline: DEADLINE,
    env: { TMPDIR: folder },
    ...(started && { started }),
  })
  expect(readdirSync(folder).filter((name) => name.startsWith('procleash-soak-'))).toEqual([])
  return { ...result, output }
}

it(`some seconds in ${runtimes.join(', ')}: flat, nothing left`, { timeout: DEADLINE }, async () => {
  const { code, stdout, stderr, output } = await soak([
    '--minutes',
    '0.1',
    ...runtimes.flatMap((name) => ['--runtime', name]),
  ])
  expect(code, stdout + stderr).toBe(0)
  for (const name of runtimes) {
    expect(stdout).toContain(`${name}: flat, nothing left`)
    const run = JSON.parse(readFileSync(join(output, `${name}.json`), 'utf8'))
    expect(Object.keys(run.done).sort()).toEqual([...Object.keys(acts), 'cut off'].sort())
    for (const mode of ['light', 'dark']) {
      expect(readFileSync(join(output, `${name}.${mode}.svg`), 'utf8')).toContain(`Soak: ${name} `)
    }
  }
})

it('control: a host that leaks is found', { timeout: DEADLINE }, async () => {
  const leaking = (leak: string) => soak(['--minutes', '0.03', '--runtime', first, '--leak', leak])
  const [descriptors, memory, processes] = await Promise.all(
    ['descriptors', 'memory', 'processes'].map(leaking),
  )
  expect(descriptors).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/FAILED, not flat: .*host: descriptors/),
  })
  expect(memory).toMatchObject({ code: 1, stdout: expect.stringMatching(/FAILED, not flat: .*host: memory/) })
  expect(processes).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/TROUBLE left at a rest: pid \d+ \(sleep, .*: sleep 60\n/),
  })
})

it('Ctrl-C ends it with what it has', { timeout: DEADLINE }, async () => {
  let interrupted: Promise<void> | undefined
  const { code, stdout, output } = await soak(['--minutes', '60', '--runtime', first], (pid) => {
    const works = () => descendantsOf(pid).some(({ comm }) => comm === 'procleash-super')
    interrupted = waitUntil(works, DEADLINE, 'the host has a supervisor').then(() => {
      process.kill(pid, 'SIGINT')
    })
  })
  await interrupted
  expect(code, stdout).toBe(130)
  expect(stdout).toContain(', interrupted, ')
  expect(stdout).toContain(`${first}: nothing left`)
  expect(existsSync(join(output, `${first}.json`))).toBe(true)
})

it('refuses what makes no sense', async () => {
  const wrong = [
    { args: ['--minutes', '0'], message: '--minutes must be a number above 0, not 0' },
    {
      args: ['--leak', 'time'],
      message: '--leak must be one of none, descriptors, memory, processes, not time',
    },
  ]
  await Promise.all(
    wrong.map(async ({ args, message }) => {
      const { code, stderr } = await soak(args)
      expect(code).toBe(2)
      expect(stderr).toContain(message)
    }),
  )
})
