// Checks: where the standard descriptors go.

import {
  closeSync,
  createWriteStream,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { once, outputOf, story, thrownBy } from './tools.mjs'

async function inFile(use) {
  const folder = mkdtempSync(join(tmpdir(), 'procleash-check-'))
  const path = join(folder, 'out')
  try {
    await use(path)
    return readFileSync(path, 'utf8').trim()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const stdio = [
  [
    'ignore',
    [null, null, null, '/dev/null'],
    async (spawn) => {
      const { stdin, stdout, stderr } = spawn('true', { stdio: 'ignore' })
      const reader = spawn('readlink', ['/proc/self/fd/0'], { stdio: ['ignore', 'pipe', 'ignore'] })
      return [stdin, stdout, stderr, await outputOf(reader)]
    },
  ],
  [
    'inherit',
    [null, true],
    async (spawn) => {
      const child = spawn('readlink', ['/proc/self/fd/2'], { stdio: ['ignore', 'pipe', 'inherit'] })
      return [child.stderr, (await outputOf(child)) === readlinkSync('/proc/self/fd/2')]
    },
  ],
  [
    'a short list is filled up with pipes',
    [true, true],
    async (spawn) => {
      const child = spawn('true', { stdio: ['ignore'] })
      await story(child)
      return [child.stdin === null, child.stdout !== null && child.stderr !== null]
    },
  ],
  [
    'null, undefined and overlapped are pipes',
    [true, true, true],
    async (spawn) => {
      const child = spawn('true', { stdio: [null, undefined, 'overlapped'] })
      await story(child)
      return child.stdio.map((stream) => stream !== null)
    },
  ],
  [
    'a descriptor',
    'to the file',
    async (spawn) =>
      inFile(async (path) => {
        const fd = openSync(path, 'w')
        await story(spawn('echo', ['to the file'], { stdio: ['ignore', fd, fd] }))
        closeSync(fd)
      }),
  ],
  [
    'a stream with a descriptor',
    'to the file',
    async (spawn) =>
      inFile(async (path) => {
        const stream = createWriteStream(path)
        await once(stream, 'open')
        await story(spawn('echo', ['to the file'], { stdio: ['ignore', stream, stream] }))
        stream.destroy()
      }),
  ],
  [
    'a stream without a descriptor is refused',
    'ERR_INVALID_ARG_VALUE',
    async (spawn) => thrownBy(() => spawn('true', { stdio: ['pipe', new Writable(), 'pipe'] })),
  ],
  [
    'the pipes are sockets',
    'socket',
    async (spawn) => (await outputOf(spawn('readlink', ['/proc/self/fd/1']))).split(':')[0],
  ],
  [
    'a fourth descriptor can be piped',
    'nothing',
    async (spawn) => thrownBy(() => spawn('true', { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] })),
  ],
  [
    'a fourth descriptor can be ignored',
    'nothing',
    async (spawn) => thrownBy(() => spawn('true', { stdio: ['pipe', 'pipe', 'pipe', 'ignore', null] })),
  ],
  [
    'a channel can be had',
    'nothing',
    async (spawn) => thrownBy(() => spawn('true', { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] })),
  ],
]
