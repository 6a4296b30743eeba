// Bad input: each a typed error with a stable code, that shows the value and the fix; nothing is started.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Host, useHost } from '../support/host.js'
import type { SentError } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'

type Outcome = SentError | 'no error' | 'no answer'

/** Each would create `marker` if it ran. Runs in the host: JSON has no NaN. */
function tryAll(host: Host, dir: string): Promise<Record<string, Outcome>> {
  return host.evaluate(
    async ({ procleash, describeError }, { dir, marker }) => {
      // Wrong on purpose, so without its types.
      const spawn = (...args: unknown[]) => Reflect.apply(procleash.spawn, undefined, args)
      const run = (...args: unknown[]) => Reflect.apply(procleash.run, undefined, args)
      const touch = (options: unknown) => spawn('touch', [marker], options)
      const calls: Record<string, () => unknown> = {
        'empty file': () => spawn(''),
        'NUL in file': () => spawn('tou\0ch', [marker]),
        'file not a string': () => spawn(42, [marker]),
        'args not an array': () => spawn('touch', marker),
        'NUL in argument': () => spawn('touch', [marker, 'a\0b']),
        'argument not a string': () => spawn('touch', [marker, 7]),
        'NUL in variable': () => touch({ env: { KEY: 'a\0b' } }),
        'NUL in variable name': () => touch({ env: { 'A\0B': 'x' } }),
        'variable name with =': () => touch({ env: { 'A=B': 'x' } }),
        'empty variable name': () => touch({ env: { '': 'x' } }),
        'variable not a string': () => touch({ env: { KEY: 7 } }),
        'NUL in cwd': () => touch({ cwd: '/tmp\0' }),
        'NUL in argv0': () => touch({ argv0: 'a\0' }),
        'options not an object': () => touch('fast'),
        'no such file': () => spawn('/no/such/file'),
        'no such file in PATH': () => spawn('no-such-tool-anywhere'),
        'not executable': () => spawn(`${dir}/plain`),
        directory: () => spawn(dir),
        'not a program': () => spawn(`${dir}/nonsense`),
        'cwd missing': () => touch({ cwd: `${dir}/missing` }),
        'cwd a file': () => touch({ cwd: `${dir}/plain` }),
        'argument too long': () => spawn('touch', [marker, 'x'.repeat(200_000)]),
        'list too long': () => spawn('touch', [marker, ...Array(40_000).fill('x'.repeat(100))]),
        'negative timeout': () => touch({ timeout: -1 }),
        'NaN timeout': () => touch({ timeout: Number.NaN }),
        'infinite timeout': () => touch({ timeout: Number.POSITIVE_INFINITY }),
        'timeout not a number': () => touch({ timeout: '5s' }),
        'negative budget': () => touch({ budget: -1 }),
        'NaN budget': () => touch({ budget: Number.NaN }),
        'infinite budget': () => touch({ budget: Number.POSITIVE_INFINITY }),
        'unknown stop signal': () => touch({ stopSignal: 'SIGNOPE' }),
        'stop signal 0': () => touch({ stopSignal: 0 }),
        'stop signal 65': () => touch({ stopSignal: 65 }),
        'stop signal in small letters': () => touch({ stopSignal: 'sigterm' }),
        'closed descriptor': () => touch({ stdout: 987 }),
        'negative descriptor': () => touch({ stdout: -1 }),
        'descriptor not whole': () => touch({ stdout: 1.5 }),
        'unknown stdio word': () => touch({ stderr: 'pipes' }),
        'stdin from no such file': () => touch({ stdin: { path: `${dir}/missing` } }),
        'stdout into no such folder': () => touch({ stdout: { path: `${dir}/missing/out` } }),
        'unknown leftovers': () => touch({ leftovers: 'forget' }),
        'unknown grade': () => touch({ require: 'strong' }),
        'signal not a signal': () => touch({ signal: {} }),
        'negative maxOutput': () => run('touch', [marker], { maxOutput: -1 }),
        'NaN maxOutput': () => run('touch', [marker], { maxOutput: Number.NaN }),
        'spill into no such folder': () => run('touch', [marker], { spillPath: `${dir}/missing/spill` }),
        'unknown encoding': () => run('touch', [marker], { encoding: 'utf-32' }),
      }
      const outcomes: Record<string, Outcome> = {}
      for (const [name, call] of Object.entries(calls)) {
        const tooLong = new Promise((resolve) => setTimeout(resolve, 5000, 'no answer'))
        try {
          outcomes[name] = (await Promise.race([call(), tooLong])) === 'no answer' ? 'no answer' : 'no error'
        } catch (error) {
          outcomes[name] = describeError(error)
        }
      }
      return outcomes
    },
    { dir, marker: join(dir, 'started') },
    60_000,
  )
}

/** Class and code of each. */
const EXPECTED: Record<string, string> = {
  'empty file': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'NUL in file': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'file not a string': 'InvalidOptionError ERR_INVALID_ARG_TYPE',
  'args not an array': 'InvalidOptionError ERR_INVALID_ARG_TYPE',
  'NUL in argument': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'argument not a string': 'InvalidOptionError ERR_INVALID_ARG_TYPE',
  'NUL in variable': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'NUL in variable name': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'variable name with =': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'empty variable name': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'variable not a string': 'InvalidOptionError ERR_INVALID_ARG_TYPE',
  'NUL in cwd': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'NUL in argv0': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'options not an object': 'InvalidOptionError ERR_INVALID_ARG_TYPE',
  'no such file': 'SpawnError ENOENT',
  'no such file in PATH': 'SpawnError ENOENT',
  'not executable': 'SpawnError EACCES',
  directory: 'SpawnError EACCES',
  'not a program': 'SpawnError ENOEXEC',
  'cwd missing': 'SpawnError ENOENT',
  'cwd a file': 'SpawnError ENOTDIR',
  'argument too long': 'SpawnError E2BIG',
  'list too long': 'SpawnError E2BIG',
  'negative timeout': 'InvalidOptionError ERR_OUT_OF_RANGE',
  'NaN timeout': 'InvalidOptionError ERR_OUT_OF_RANGE',
  'infinite timeout': 'InvalidOptionError ERR_OUT_OF_RANGE',
  'timeout not a number': 'InvalidOptionError ERR_INVALID_ARG_TYPE',
  'negative budget': 'InvalidOptionError ERR_OUT_OF_RANGE',
  'NaN budget': 'InvalidOptionError ERR_OUT_OF_RANGE',
  'infinite budget': 'InvalidOptionError ERR_OUT_OF_RANGE',
  'unknown stop signal': 'InvalidOptionError ERR_UNKNOWN_SIGNAL',
  'stop signal 0': 'InvalidOptionError ERR_UNKNOWN_SIGNAL',
  'stop signal 65': 'InvalidOptionError ERR_UNKNOWN_SIGNAL',
  'stop signal in small letters': 'InvalidOptionError ERR_UNKNOWN_SIGNAL',
  'closed descriptor': 'SpawnError EBADF',
  'negative descriptor': 'InvalidOptionError ERR_OUT_OF_RANGE',
  'descriptor not whole': 'InvalidOptionError ERR_OUT_OF_RANGE',
  'unknown stdio word': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'stdin from no such file': 'SpawnError ENOENT',
  'stdout into no such folder': 'SpawnError ENOENT',
  'unknown leftovers': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'unknown grade': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
  'signal not a signal': 'InvalidOptionError ERR_INVALID_ARG_TYPE',
  'negative maxOutput': 'InvalidOptionError ERR_OUT_OF_RANGE',
  'NaN maxOutput': 'InvalidOptionError ERR_OUT_OF_RANGE',
  'spill into no such folder': 'SpawnError ENOENT',
  'unknown encoding': 'InvalidOptionError ERR_INVALID_ARG_VALUE',
}

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('is refused with a typed error of a stable code, and starts nothing', async () => {
    const dir = join(host().dir, 'bad-input')
    mkdirSync(dir)
    writeFileSync(join(dir, 'plain'), 'text', { mode: 0o644 })
    writeFileSync(join(dir, 'nonsense'), '\u0001\u0002 no program', { mode: 0o755 })

    const outcomes = await tryAll(host(), dir)

    const seen = Object.fromEntries(
      Object.entries(outcomes).map(([name, outcome]) => [
        name,
        typeof outcome === 'string' ? outcome : `${outcome.className} ${outcome.code}`,
      ]),
    )
    expect(seen).toEqual(EXPECTED)
    for (const [name, outcome] of Object.entries(outcomes) as [string, SentError][]) {
      expect(outcome.fix, name).toBeTypeOf('string')
      expect(outcome.message, name).toContain(outcome.fix)
      if (outcome.className === 'InvalidOptionError') expect(outcome.option, name).toBeTruthy()
    }
    expect(existsSync(join(dir, 'started'))).toBe(false)
  })

  it('shows the value that was refused', async () => {
    const messages = await host().evaluate(async ({ procleash, describeError }) => {
      const told: string[] = []
      for (const options of [
        { timeout: -5 },
        { budget: Number.NaN },
        { stopSignal: 'SIGNOPE' as 'SIGTERM' },
      ]) {
        await procleash.spawn('true', [], options).catch((error) => told.push(describeError(error).message))
      }
      return told
    }, null)
    expect(messages[0]).toMatch(/timeout.*-5/)
    expect(messages[1]).toMatch(/budget.*NaN/)
    expect(messages[2]).toMatch(/stopSignal.*SIGNOPE/)
  })

  it('is refused by stop() and kill() as well, and does nothing to the command', async () => {
    const command = await host().spawn('sleep', ['60'])
    const codes = await host().evaluate(async ({ commands, describeError }, handle) => {
      const { command } = commands.get(handle)!
      const calls: (() => unknown)[] = [
        () => command.stop({ budget: -1 }),
        () => command.stop({ budget: Number.NaN }),
        () => command.kill('SIGNOPE' as 'SIGTERM'),
        () => command.kill(0),
        () => command.kill(-9),
        () => command.kill(65),
        () => command.kill(Number.NaN),
      ]
      const told: (string | undefined)[] = []
      for (const call of calls) {
        try {
          await call()
          told.push('no error')
        } catch (error) {
          told.push(describeError(error).code)
        }
      }
      return told
    }, command.handle)
    expect(codes).toEqual(['ERR_OUT_OF_RANGE', 'ERR_OUT_OF_RANGE', ...Array(5).fill('ERR_UNKNOWN_SIGNAL')])
    expect((await command.processes()).map(({ pid }) => pid)).toEqual([command.pid])
    expect(await command.stop()).toMatchObject({ outcome: 'empty', reason: 'stop' })
  })
})
