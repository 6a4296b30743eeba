// Checks: what flows through the standard descriptors.

import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { megabyte, once, outputOf, pause, ready, story, until } from './tools.mjs'

export const streams = [
  [
    'the three are Node streams, and stdio lists them',
    [true, true, true, true, 3],
    async (spawn) => {
      const child = spawn('true')
      const { stdin, stdout, stderr, stdio } = child
      await story(child)
      return [
        stdin instanceof Writable,
        stdout instanceof Readable,
        stderr instanceof Readable,
        stdio[0] === stdin && stdio[1] === stdout && stdio[2] === stderr,
        stdio.length,
      ]
    },
  ],
  [
    'stdout and stderr are apart',
    ['out', 'err'],
    async (spawn) => {
      const { stdout, stderr } = await story(spawn('sh', ['-c', 'echo out; echo err >&2']))
      return [stdout.trim(), stderr.trim()]
    },
  ],
  [
    'what is written to stdin arrives',
    'hello',
    async (spawn) => {
      const child = spawn('cat')
      child.stdin.end('hello')
      return outputOf(child)
    },
  ],
  [
    'stdin takes encodings and many small writes',
    'AB0123456789',
    async (spawn) => {
      const child = spawn('cat')
      child.stdin.write('4142', 'hex')
      for (let digit = 0; digit < 10; digit += 1) child.stdin.write(String(digit))
      child.stdin.end()
      return outputOf(child)
    },
  ],
  [
    'a write calls back',
    true,
    async (spawn) => {
      const child = spawn('cat')
      const error = await new Promise((resolve) => child.stdin.write('x', resolve))
      child.stdin.end()
      await story(child)
      return error === null || error === undefined
    },
  ],
  [
    'four megabytes go through unchanged',
    true,
    async (spawn) => {
      const child = spawn('cat')
      const chunks = []
      child.stdout.on('data', (chunk) => chunks.push(chunk))
      for (let count = 0; count < 4; count += 1) child.stdin.write(megabyte)
      child.stdin.end()
      await once(child, 'close')
      const text = chunks.map((chunk) => chunk.toString('latin1')).join('')
      return text === megabyte.toString('latin1').repeat(4)
    },
  ],
  [
    'a slow reader of stdin holds its writer back',
    [false, 'drain'],
    async (spawn) => {
      const child = spawn('sh', ['-c', 'read line; cat > /dev/null'])
      const more = child.stdin.write(megabyte)
      const drained = once(child.stdin, 'drain').then(() => 'drain')
      child.stdin.write('\n')
      const told = [more, await drained]
      child.stdin.end()
      await story(child)
      return told
    },
  ],
  [
    'unread output holds the command back',
    [false, true],
    async (spawn) => {
      const child = spawn('sh', ['-c', 'head -c 16000000 /dev/zero; echo done >&2'])
      let done = false
      child.stderr.on('data', () => {
        done = true
      })
      await once(child, 'spawn')
      await pause(200)
      const before = done
      child.stdout.resume()
      await once(child, 'close')
      return [before, done]
    },
  ],
  [
    'setEncoding joins split characters',
    'äöü',
    async (spawn) => {
      const child = spawn('sh', ['-c', 'printf "\\303"; sleep 0.05; printf "\\244\\303\\266\\303\\274"'])
      child.stdout.setEncoding('utf8')
      return outputOf(child)
    },
  ],
  [
    'output is async iterable',
    'a\nb\n',
    async (spawn) => {
      let text = ''
      for await (const chunk of spawn('printf', ['a\nb\n']).stdout) text += chunk
      return text
    },
  ],
  [
    "one child's output pipes into another",
    'B',
    async (spawn) => {
      const source = spawn('printf', ['a\nB\nc\n'])
      const filter = spawn('grep', ['B'])
      source.stdout.pipe(filter.stdin)
      return outputOf(filter)
    },
  ],
  [
    'end and close of an output come before close of the child',
    ['end', 'close', 'child'],
    async (spawn) => {
      const child = spawn('echo', ['x'])
      const order = []
      child.stdout.resume()
      child.stdout.on('end', () => order.push('end'))
      child.stdout.on('close', () => order.push('close'))
      await once(child, 'close')
      return [...order, 'child']
    },
  ],
  [
    "output that nobody reads doesn't hold close up",
    0,
    async (spawn) => (await once(spawn('sh', ['-c', 'echo out; echo err >&2']), 'close'))[0],
  ],
  [
    'output can be read late',
    'late',
    async (spawn) => {
      const child = spawn('echo', ['late'])
      let text = ''
      child.on('exit', () =>
        child.stdout.on('data', (data) => {
          text += data
        }),
      )
      await once(child, 'close')
      return text.trim()
    },
  ],
  [
    "destroying stdout breaks the command's pipe",
    true,
    async (spawn) => {
      const child = spawn('yes')
      await ready(child)
      child.stdout.destroy()
      // By SIGPIPE, or by its own will after ECONNRESET where the pipe is a socket.
      return (await once(child, 'exit'))[0] !== 0
    },
  ],
  [
    'writing to one that has closed its stdin is EPIPE',
    ['EPIPE', 'write', -32],
    async (spawn) => {
      const child = spawn('sh', ['-c', 'exec <&-; echo closed; exec sleep 60'])
      await ready(child)
      let failure
      child.stdin.on('error', (error) => {
        failure = error
      })
      // More than once: whoever started the command may hold the other end for a moment longer than the command.
      await until(() => failure !== undefined || void child.stdin.write('x'))
      const { code, syscall, errno } = failure
      child.kill('SIGKILL')
      await story(child)
      return [code, syscall, errno]
    },
  ],
  [
    'ending the stdin of one that has closed it is no error',
    'finish',
    async (spawn) => {
      const child = spawn('sh', ['-c', 'exec <&-; echo closed; exec sleep 60'])
      await ready(child)
      child.stdin.end()
      const how = await finished(child.stdin).then(
        () => 'finish',
        (error) => error.code,
      )
      child.kill('SIGKILL')
      await story(child)
      return how
    },
  ],
  [
    'stdin is destroyed with the command',
    true,
    async (spawn) => {
      const child = spawn('true')
      await story(child)
      return child.stdin.destroyed
    },
  ],
  [
    'a descendant that holds stdout holds close up',
    true,
    async (spawn) => {
      const child = spawn('sh', ['-c', 'sleep 1.5 & echo $!'])
      const started = performance.now()
      await story(child)
      return performance.now() - started > 1400
    },
  ],
]
