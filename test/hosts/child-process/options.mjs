// Checks: the options.

import { tmpdir } from 'node:os'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { once, outputOf, story } from './tools.mjs'

const showGroup = ['-c', 'cut -d" " -f5 /proc/$$/stat']

export const options = [
  ['cwd', '/usr', async (spawn) => outputOf(spawn('pwd', [], { cwd: '/usr' }))],
  ['cwd as a URL', '/usr', async (spawn) => outputOf(spawn('pwd', [], { cwd: pathToFileURL('/usr') }))],
  [
    'env replaces the environment',
    'A=1',
    async (spawn) =>
      (await outputOf(spawn('/usr/bin/env', [], { env: { A: '1' } })))
        .split('\n')
        .filter((line) => !line.startsWith('PROCLEASH_TREE='))
        .join(),
  ],
  [
    'nothing is added to the environment',
    false,
    async (spawn) =>
      (await outputOf(spawn('/usr/bin/env', [], { env: { A: '1' } }))).includes('PROCLEASH_TREE='),
  ],
  [
    'without env, process.env as it is now',
    'set',
    async (spawn) => {
      process.env.CHECK_VARIABLE = 'set'
      const text = await outputOf(spawn('printenv', ['CHECK_VARIABLE']))
      delete process.env.CHECK_VARIABLE
      return text
    },
  ],
  [
    'values of env are made strings, undefined ones left out',
    '5 null',
    async (spawn) =>
      outputOf(spawn('/bin/sh', ['-c', 'echo $A $B $C'], { env: { A: 5, B: null, C: undefined } })),
  ],
  [
    'inherited properties of env count',
    'inherited',
    async (spawn) =>
      outputOf(spawn('/bin/sh', ['-c', 'echo $A'], { env: Object.create({ A: 'inherited' }) })),
  ],
  [
    'the PATH of env finds the command',
    'ENOENT',
    async (spawn) => (await story(spawn('ls', [], { env: { PATH: '/nowhere' } }))).error?.code,
  ],
  [
    'a shell',
    ['a b', '/bin/sh', ['/bin/sh', '-c', 'echo "a b" | cat']],
    async (spawn) => {
      const child = spawn('echo "a b" | cat', { shell: true })
      return [await outputOf(child), child.spawnfile, child.spawnargs]
    },
  ],
  [
    'a shell gets the arguments unquoted, in one line',
    ['a b', 'echo a   b'],
    async (spawn) => {
      const child = spawn('echo', ['a ', ' b'], { shell: true })
      return [await outputOf(child), child.spawnargs[2]]
    },
  ],
  [
    'a shell by name',
    ['yes', ['bash', '-c', '[[ 1 = 1 ]] && echo yes']],
    async (spawn) => {
      const child = spawn('[[ 1 = 1 ]] && echo yes', [], { shell: 'bash' })
      return [await outputOf(child), child.spawnargs]
    },
  ],
  [
    "a command that a shell can't find ends with 127",
    127,
    async (spawn) => (await story(spawn('no-such-command', { shell: true }))).code,
  ],
  [
    'detached: a group of its own',
    true,
    async (spawn) => {
      const child = spawn('sh', showGroup, { detached: true })
      return (await outputOf(child)) === String(child.pid)
    },
  ],
  [
    'not detached: the group of the host',
    false,
    async (spawn) => {
      const child = spawn('sh', showGroup)
      return (await outputOf(child)) === String(child.pid)
    },
  ],
  [
    '$PPID is the host',
    true,
    async (spawn) => (await outputOf(spawn('sh', ['-c', 'echo $PPID']))) === String(process.pid),
  ],
  [
    'timeout',
    [true, null, 'SIGTERM'],
    async (spawn) => {
      const child = spawn('sleep', ['60'], { timeout: 50 })
      const { code, signal } = await story(child)
      return [child.killed, code, signal]
    },
  ],
  [
    'timeout with a killSignal',
    'SIGKILL',
    async (spawn) => (await story(spawn('sleep', ['60'], { timeout: 50, killSignal: 'SIGKILL' }))).signal,
  ],
  [
    'killSignal is not the signal of kill()',
    'SIGTERM',
    async (spawn) => {
      const child = spawn('sleep', ['60'], { killSignal: 'SIGKILL' })
      await once(child, 'spawn')
      child.kill()
      return (await story(child)).signal
    },
  ],
  ['a timeout of 0 is none', 0, async (spawn) => (await story(spawn('sleep', ['0.1'], { timeout: 0 }))).code],
  [
    'a timeout that does not pass changes nothing',
    [0, false],
    async (spawn) => {
      const child = spawn('true', { timeout: 60_000 })
      return [(await story(child)).code, child.killed]
    },
  ],
  [
    'an abort',
    [['spawn', 'error', 'exit', 'close'], 'AbortError', 'ABORT_ERR', 'why', 'SIGTERM', true],
    async (spawn) => {
      const controller = new AbortController()
      const child = spawn('sleep', ['60'], { signal: controller.signal })
      const told = story(child)
      await once(child, 'spawn')
      controller.abort(new Error('why'))
      const { events, error, signal } = await told
      return [events, error.name, error.code, error.cause.message, signal, child.killed]
    },
  ],
  [
    'an abort with a killSignal',
    'SIGINT',
    async (spawn) => {
      const controller = new AbortController()
      const child = spawn('sleep', ['60'], { signal: controller.signal, killSignal: 'SIGINT' })
      const told = story(child)
      await once(child, 'spawn')
      controller.abort()
      return (await told).signal
    },
  ],
  [
    'an abort after the end changes nothing',
    [['spawn', 'exit', 'close'], false],
    async (spawn) => {
      const controller = new AbortController()
      const child = spawn('true', { signal: controller.signal })
      const { events } = await story(child)
      controller.abort()
      await Promise.resolve()
      return [events, child.killed]
    },
  ],
  [
    'a signal that is aborted already',
    [['spawn', 'error', 'exit', 'close'], 'AbortError'],
    async (spawn) => {
      const { events, error } = await story(spawn('sleep', ['60'], { signal: AbortSignal.abort() }))
      return [events, error.name]
    },
  ],
  [
    'options of Windows change nothing',
    'x',
    async (spawn) => outputOf(spawn('echo', ['x'], { windowsHide: true, windowsVerbatimArguments: true })),
  ],
  [
    'null options are left out',
    'x',
    async (spawn) =>
      outputOf(spawn('echo', ['x'], { cwd: null, env: null, shell: null, argv0: null, timeout: null })),
  ],
  [
    'the options are left as they were',
    true,
    async (spawn) => {
      const given = Object.freeze({
        stdio: Object.freeze(['ignore', 'pipe', 'pipe']),
        env: Object.freeze({ A: '1' }),
      })
      const args = Object.freeze(['-c', 'echo $A'])
      return (await outputOf(spawn('/bin/sh', args, given))) === '1'
    },
  ],
  [
    'uid and gid',
    'ran',
    async (spawn) => {
      try {
        await story(spawn('true', { uid: process.getuid(), gid: process.getgid() }))
        return 'ran'
      } catch (error) {
        return error.code
      }
    },
  ],
  [
    'a folder for cwd that is a link is followed',
    true,
    async (spawn) => (await outputOf(spawn('pwd', ['-P'], { cwd: tmpdir() }))).startsWith('/'),
  ],
]
