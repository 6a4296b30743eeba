// Checks: how a command ends, by itself and by kill().

import { deaf, fateOf, isAlive, once, pause, ready, story, thrownBy, uncaught } from './tools.mjs'

const sleeper = (spawn) => spawn('sleep', ['60'])

export const ending = [
  [
    'the exit code',
    [3, null, 3, null],
    async (spawn) => {
      const child = spawn('sh', ['-c', 'exit 3'])
      const { code, signal } = await story(child)
      return [code, signal, child.exitCode, child.signalCode]
    },
  ],
  [
    'exit has the same values as close',
    [
      [5, null],
      [5, null],
    ],
    async (spawn) => {
      const child = spawn('sh', ['-c', 'exit 5'])
      return Promise.all([once(child, 'exit'), once(child, 'close')])
    },
  ],
  [
    'exitCode is set when exit is told',
    [null, 4],
    async (spawn) => {
      const child = spawn('sh', ['-c', 'read line; exit 4'])
      await once(child, 'spawn')
      const before = child.exitCode
      const told = new Promise((resolve) => child.on('exit', () => resolve(child.exitCode)))
      child.stdin.end()
      return [before, await told]
    },
  ],
  [
    'a signal of its own',
    [null, 'SIGKILL', false],
    async (spawn) => {
      const child = spawn('sh', ['-c', 'kill -9 $$'])
      const { code, signal } = await story(child)
      return [code, signal, child.killed]
    },
  ],
  [
    'kill() sends SIGTERM',
    [true, true, null, 'SIGTERM'],
    async (spawn) => {
      const child = sleeper(spawn)
      await once(child, 'spawn')
      const sent = child.kill()
      const { code, signal } = await story(child)
      return [sent, child.killed, code, signal]
    },
  ],
  [
    'kill() before the spawn event',
    [true, 'SIGTERM'],
    async (spawn) => {
      const child = sleeper(spawn)
      const sent = child.kill()
      return [sent, (await story(child)).signal]
    },
  ],
  [
    'SIGINT before the spawn event',
    [true, 'SIGINT'],
    async (spawn) => {
      const child = sleeper(spawn)
      const sent = child.kill('SIGINT')
      return [sent, (await story(child)).signal]
    },
  ],
  [
    'a handler of SIGTERM has its say',
    ['saved', 9],
    async (spawn) => {
      const script = 'trap "echo saved; exit 9" TERM; echo ready; while :; do sleep 0.01; done'
      const child = spawn('sh', ['-c', script], { budget: 10_000 })
      await ready(child)
      child.kill()
      const { stdout, code } = await story(child)
      return [stdout.trim(), code]
    },
  ],
  [
    'SIGKILL',
    [true, null, 'SIGKILL'],
    async (spawn) => {
      const child = spawn('sh', ['-c', deaf])
      await ready(child)
      const sent = child.kill('SIGKILL')
      const { code, signal } = await story(child)
      return [sent, code, signal]
    },
  ],
  [
    'another signal reaches its handler and stops nothing',
    ['got it', 0],
    async (spawn) => {
      const child = spawn('sh', [
        '-c',
        'trap "echo got it; exit 0" USR1; echo ready; while :; do sleep 0.01; done',
      ])
      await ready(child)
      child.kill('SIGUSR1')
      const { stdout, code } = await story(child)
      return [stdout.trim(), code]
    },
  ],
  [
    'a signal by its number',
    'SIGINT',
    async (spawn) => {
      const child = sleeper(spawn)
      await once(child, 'spawn')
      child.kill(2)
      return (await story(child)).signal
    },
  ],
  [
    'a signal in small letters',
    'SIGHUP',
    async (spawn) => {
      const child = sleeper(spawn)
      await once(child, 'spawn')
      child.kill('sighup')
      return (await story(child)).signal
    },
  ],
  [
    'signal 0 only asks',
    [true, true, false],
    async (spawn) => {
      const child = sleeper(spawn)
      await once(child, 'spawn')
      const alive = child.kill(0)
      const { killed } = child
      child.kill('SIGKILL')
      await story(child)
      return [alive, killed, child.kill(0)]
    },
  ],
  [
    'kill() after the end',
    [false, false],
    async (spawn) => {
      const child = spawn('true')
      await story(child)
      return [child.kill(), child.killed]
    },
  ],
  [
    'an unknown signal is refused',
    'ERR_UNKNOWN_SIGNAL',
    async (spawn) => {
      const child = sleeper(spawn)
      const told = story(child)
      await once(child, 'spawn')
      const code = thrownBy(() => child.kill('SIGNOPE'))
      child.kill('SIGKILL')
      await told
      return code
    },
  ],
  [
    'a command deaf to SIGTERM outlives kill()',
    true,
    async (spawn) => {
      // Node knows no budget. A short one leaves a busy machine time to tell of the end.
      const child = spawn('sh', ['-c', deaf], { budget: 100 })
      await ready(child)
      const told = story(child)
      child.kill()
      await Promise.race([told, pause(1000)])
      const alive = isAlive(child.pid)
      child.kill('SIGKILL')
      await told
      return alive
    },
  ],
  [
    'a grandchild outlives kill()',
    'left',
    async (spawn) => {
      const child = spawn('sh', ['-c', 'setsid sleep 60 > /dev/null & echo $!; wait'])
      const pid = Number(await ready(child))
      child.kill('SIGKILL')
      await once(child, 'exit')
      return fateOf(pid)
    },
  ],
  [
    'a background process outlives the command',
    'left',
    async (spawn) => {
      const child = spawn('sh', ['-c', 'sleep 60 > /dev/null 2>&1 & echo $!'])
      const exit = once(child, 'exit')
      const pid = Number(await ready(child))
      await exit
      return fateOf(pid)
    },
  ],
  [
    'a listener that throws is an uncaught exception',
    'thrown by a listener',
    async (spawn) => {
      const child = spawn('true')
      const told = uncaught()
      child.on('exit', () => {
        throw new Error('thrown by a listener')
      })
      return told
    },
  ],
  [
    'a data listener that throws is an uncaught exception',
    'thrown by a listener',
    async (spawn) => {
      const child = spawn('echo', ['x'])
      const told = uncaught()
      child.stdout.on('data', () => {
        throw new Error('thrown by a listener')
      })
      return told
    },
  ],
]
