// The status of procleash-init is the main program's own.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { forEachMode, initFile, runInit } from '../support/init.js'
import { runProgram } from '../support/program.js'

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

// CHLD, CONT, URG and WINCH end nothing; STOP, TSTP, TTIN and TTOU stop.
const deadly = numbers(1, 64).filter((signal) => ![17, 18, 19, 20, 21, 22, 23, 28].includes(signal))

/** Runs all of them in one shell, which prints each status. */
async function statuses(argvs: readonly (readonly string[])[]): Promise<number[]> {
  const script = argvs.map((argv) => `${argv.map((word) => `'${word}'`).join(' ')} </dev/null; echo $?`)
  const { stdout } = await runProgram(['sh', '-c', script.join('\n')])
  return stdout.trim().split('\n').map(Number)
}

guardEachTest()

forEachMode((mode) => {
  const init = (...words: string[]) => mode.wrap([initFile, ...words])

  it('is the exit code, for 0 to 255', async () => {
    const codes = numbers(0, 255)
    expect(await statuses(codes.map((code) => init('--', 'sh', '-c', `exit ${code}`)))).toEqual(codes)
  })

  it('is 128 and the number of the signal that ended it', async () => {
    const argvs = deadly.map((signal) => init('--', 'sh', '-c', `ulimit -c 0; kill -${signal} $$`))
    expect(await statuses(argvs)).toEqual(deadly.map((signal) => 128 + signal))
  })

  it('is 0 for a status that -e names', async () => {
    const options = ['-e', '143', '-e3']
    const argvs = ['exit 3', 'exit 4', 'kill $$'].map((script) => init(...options, '--', 'sh', '-c', script))
    expect(await statuses(argvs)).toEqual([0, 4, 0])
  })

  it('is 126 for what is not executable and 127 for what is not there', async () => {
    const denied = await runInit(mode, ['/etc/passwd'])
    expect(denied).toMatchObject({ code: 126, stderr: 'procleash-init: /etc/passwd: Permission denied\n' })
    // A folder that we may not search would make it EACCES, as execvp(3) has it.
    const absent = await runInit(mode, ['no-such-tool'], { env: { PATH: '/usr/bin:/bin' } })
    expect(absent.code).toBe(127)
    expect(absent.stderr).toMatch(/^procleash-init: no-such-tool: No such file/)
  })
})

it.each([
  ['no command', [], /a command is missing/],
  ['an unknown option', ['-x', '--', 'true'], /unknown option '-x'/],
  ['a missing value', ['-e'], /a value is missing after '-e'/],
  ['a status out of range', ['-e', '256', '--', 'true'], /-e takes a status from 0 to 255; got '256'/],
  ['an unknown signal', ['-p', 'NOPE', '--', 'true'], /-p takes a signal/],
  ['half a rewriting', ['-r', 'TERM', '--', 'true'], /-r takes two signals/],
  ['a rewriting of KILL', ['-r', 'KILL:TERM', '--', 'true'], /-r takes two signals/],
  ['a bad budget', ['--budget', 'soon', '--', 'true'], /--budget takes a time/],
  ['a negative budget', ['--budget=-1', '--', 'true'], /--budget takes a time/],
])('is 125 with %s, and says why', async (_, args, reason) => {
  const result = await runProgram([initFile, ...args])
  expect(result.code).toBe(125)
  expect(result.stderr).toMatch(reason)
})

it('--help and --version', async () => {
  expect((await runProgram([initFile, '--help'])).stdout).toMatch(/^Usage: procleash-init /)
  expect((await runProgram([initFile, '--version'])).stdout).toMatch(/^procleash-init \d+\.\d+\.\d+\n$/)
})
