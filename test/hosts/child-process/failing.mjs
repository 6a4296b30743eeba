// Checks: starts that fail, and calls that are refused.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once, outputOf, story, thrownBy, uncaught } from './tools.mjs'

const shape = ({ code, errno, syscall, path, spawnargs, message }) => [
  code,
  errno,
  syscall,
  path,
  spawnargs,
  message,
]

async function withFile(text, mode, use) {
  const folder = mkdtempSync(join(tmpdir(), 'procleash-check-'))
  const path = join(folder, 'file')
  writeFileSync(path, text)
  chmodSync(path, mode)
  try {
    return await use(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const failing = [
  [
    'no such command',
    ['ENOENT', -2, 'spawn no-such', 'no-such', ['a', 'b'], 'spawn no-such ENOENT'],
    async (spawn) => shape((await story(spawn('no-such', ['a', 'b']))).error),
  ],
  [
    'a failed start: error and close, no exit',
    [['error', 'close'], -2, null],
    async (spawn) => {
      const { events, code, signal } = await story(spawn('no-such'))
      return [events, code, signal]
    },
  ],
  [
    'a failed start: pid, exitCode, killed',
    [undefined, -2, false],
    async (spawn) => {
      const child = spawn('no-such')
      await story(child)
      return [child.pid, child.exitCode, child.killed]
    },
  ],
  [
    'a failed start: kill()',
    false,
    async (spawn) => {
      const child = spawn('no-such')
      await story(child)
      return child.kill()
    },
  ],
  [
    'a failed start: the error is told later, not thrown',
    'later',
    async (spawn) => {
      let when = 'at once'
      const child = spawn('no-such')
      child.on('error', () => {})
      child.on('close', () => {
        when = 'later'
      })
      await once(child, 'close')
      return when
    },
  ],
  [
    'a failed start: output ends',
    '',
    async (spawn) => {
      const child = spawn('no-such')
      child.on('error', () => {})
      let text = ''
      for await (const chunk of child.stdout) text += chunk
      return text
    },
  ],
  [
    'a failed start: writing to stdin raises nothing',
    ['error', 'close'],
    async (spawn) => {
      const child = spawn('no-such')
      child.stdin.on('error', () => {})
      child.stdin.end('x')
      return (await story(child)).events
    },
  ],
  [
    'nobody listens for a failed start',
    'spawn no-such ENOENT',
    async (spawn) => {
      const told = uncaught()
      spawn('no-such')
      return told
    },
  ],
  [
    'not executable',
    ['EACCES', -13],
    async (spawn) =>
      withFile('#!/bin/sh\n', 0o644, async (path) => {
        const { error, code } = await story(spawn(path))
        return [error.code, code]
      }),
  ],
  ['a folder is no command', 'EACCES', async (spawn) => (await story(spawn('/usr'))).error.code],
  [
    'no such cwd',
    ['ENOENT', 'spawn true'],
    async (spawn) => {
      const { error } = await story(spawn('true', { cwd: '/no/such/folder' }))
      return [error.code, error.syscall]
    },
  ],
  [
    'a script by its #! line',
    'from the script',
    async (spawn) => withFile('#!/bin/sh\necho from the script\n', 0o755, (path) => outputOf(spawn(path))),
  ],
  [
    'a script without a #! line is run by sh',
    'from the script',
    async (spawn) =>
      withFile('echo from the script\n', 0o755, async (path) => {
        const { stdout, error } = await story(spawn(path))
        return error?.code ?? stdout.trim()
      }),
  ],
  [
    'too many arguments are thrown',
    'E2BIG',
    async (spawn) => {
      const child = () =>
        spawn(
          'true',
          Array.from({ length: 40 }, () => 'x'.repeat(120_000)),
        )
      return thrownBy(child)
    },
  ],
  ['an empty command', 'ERR_INVALID_ARG_VALUE', async (spawn) => thrownBy(() => spawn(''))],
  ['a command that is no string', 'ERR_INVALID_ARG_TYPE', async (spawn) => thrownBy(() => spawn(5))],
  ['arguments that are no list', 'ERR_INVALID_ARG_TYPE', async (spawn) => thrownBy(() => spawn('true', 'a'))],
  [
    'options that are no object',
    'ERR_INVALID_ARG_TYPE',
    async (spawn) => thrownBy(() => spawn('true', [], 'options')),
  ],
  ['NUL in the command', 'ERR_INVALID_ARG_VALUE', async (spawn) => thrownBy(() => spawn('tr\0ue'))],
  ['NUL in an argument', 'ERR_INVALID_ARG_VALUE', async (spawn) => thrownBy(() => spawn('true', ['a\0b']))],
  [
    'NUL in the environment',
    'ERR_INVALID_ARG_VALUE',
    async (spawn) => thrownBy(() => spawn('true', { env: { A: 'a\0b' } })),
  ],
  [
    'an unknown word for stdio',
    'ERR_INVALID_ARG_VALUE',
    async (spawn) => thrownBy(() => spawn('true', { stdio: 'nowhere' })),
  ],
  ['a negative timeout', 'ERR_OUT_OF_RANGE', async (spawn) => thrownBy(() => spawn('true', { timeout: -1 }))],
  [
    'an unknown killSignal',
    'ERR_UNKNOWN_SIGNAL',
    async (spawn) => thrownBy(() => spawn('true', { killSignal: 'SIGNOPE' })),
  ],
  [
    'a cwd that is no string',
    'ERR_INVALID_ARG_TYPE',
    async (spawn) => thrownBy(() => spawn('true', { cwd: 5 })),
  ],
  [
    'a signal that is none',
    'ERR_INVALID_ARG_TYPE',
    async (spawn) => thrownBy(() => spawn('true', { signal: {} })),
  ],
  [
    'a shell that is no string',
    'ERR_INVALID_ARG_TYPE',
    async (spawn) => thrownBy(() => spawn('true', { shell: 5 })),
  ],
]
