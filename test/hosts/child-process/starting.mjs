// Checks: what a child is right after the call, and the words it is started with.

import { once, outputOf, story } from './tools.mjs'

export const starting = [
  [
    'a child is an event emitter',
    ['function', 'function', 'function'],
    async (spawn) => {
      const child = spawn('true')
      await story(child)
      return [typeof child.on, typeof child.once, typeof child.emit]
    },
  ],
  [
    'spawn, exit and close come in this order',
    ['spawn', 'exit', 'close'],
    async (spawn) => (await story(spawn('true'))).events,
  ],
  [
    'spawn comes before the first byte',
    ['spawn', 'data'],
    async (spawn) => {
      const child = spawn('echo', ['hello'])
      const order = []
      child.on('spawn', () => order.push('spawn'))
      child.stdout.once('data', () => order.push('data'))
      await story(child)
      return order
    },
  ],
  [
    'pid is known right after the call',
    'number',
    async (spawn) => {
      const child = spawn('true')
      const type = typeof child.pid
      await story(child)
      return type
    },
  ],
  [
    "pid is the command's own at the spawn event",
    true,
    async (spawn) => {
      const child = spawn('sh', ['-c', 'echo $$'])
      let pid
      child.on('spawn', () => {
        pid = child.pid
      })
      return (await outputOf(child)) === String(pid)
    },
  ],
  [
    'spawnfile and spawnargs',
    ['echo', ['echo', 'a', 'b c']],
    async (spawn) => {
      const child = spawn('echo', ['a', 'b c'])
      await story(child)
      return [child.spawnfile, child.spawnargs]
    },
  ],
  [
    'exitCode, signalCode, killed and connected at the start',
    [null, null, false, false],
    async (spawn) => {
      const child = spawn('true')
      const { exitCode, signalCode, killed, connected } = child
      await story(child)
      return [exitCode, signalCode, killed, connected]
    },
  ],
  [
    'there is no channel',
    ['undefined', 'undefined'],
    async (spawn) => {
      const child = spawn('true')
      await story(child)
      return [typeof child.send, typeof child.disconnect]
    },
  ],
  ['arguments are made strings', '1 true x', async (spawn) => outputOf(spawn('echo', [1, true, 'x']))],
  ['an empty argument stays', '<a><><b>', async (spawn) => outputOf(spawn('printf', ['<%s>', 'a', '', 'b']))],
  ['arguments keep their UTF-8', 'grüße 🐧', async (spawn) => outputOf(spawn('echo', ['grüße 🐧']))],
  ['options may be the second argument', '/', async (spawn) => outputOf(spawn('pwd', { cwd: '/' }))],
  ['arguments may be null', '/', async (spawn) => outputOf(spawn('pwd', null, { cwd: '/' }))],
  [
    'argv0',
    ['named', ['named', '-c', 'echo $0']],
    async (spawn) => {
      const child = spawn('sh', ['-c', 'echo $0'], { argv0: 'named' })
      return [await outputOf(child), child.spawnargs]
    },
  ],
  [
    'ref and unref can be called at any time',
    [undefined, undefined],
    async (spawn) => {
      const child = spawn('true')
      const values = [child.unref(), child.ref()]
      await story(child)
      child.unref()
      return values
    },
  ],
  [
    'a child can be disposed of',
    'SIGTERM',
    async (spawn) => {
      const child = spawn('sleep', ['60'])
      await once(child, 'spawn')
      child[Symbol.dispose]()
      return (await story(child)).signal
    },
  ],
  [
    'two hundred at once',
    200,
    async (spawn) => {
      const stories = Array.from({ length: 200 }, (_, index) => outputOf(spawn('echo', [index])))
      return new Set(await Promise.all(stories)).size
    },
  ],
]
