// The ways to read the output of a command that are compared. Each answers the number of bytes.

import { spawn as spawnChild } from 'node:child_process'
import { once } from 'node:events'
import { spawn } from '../../dist/src/index.js'

const BUFFER = 256 * 1024

/** @type {Record<string, (file: string, args: string[]) => Promise<number>>} */
export const readers = {
  async stream(file, args) {
    const command = await spawn(file, args)
    return countOf(command.stdout ?? [])
  },

  async byob(file, args) {
    const command = await spawn(file, args)
    const stream = /** @type {ReadableStream<Uint8Array>} */ (command.stdout)
    const reader = stream.getReader({ mode: 'byob' })
    let bytes = 0
    let buffer = new ArrayBuffer(BUFFER)
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(buffer))
      if (done) return bytes
      bytes += value.length
      buffer = value.buffer
    }
  },

  async child_process(file, args) {
    const child = spawnChild(file, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let bytes = 0
    child.stdout.on('data', (chunk) => {
      bytes += chunk.length
    })
    await once(child, 'close')
    return bytes
  },

  async 'bun.spawn'(file, args) {
    const { Bun } = /** @type {any} */ (globalThis)
    return countOf(Bun.spawn([file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout)
  },

  async 'deno.command'(file, args) {
    const { Deno } = /** @type {any} */ (globalThis)
    const child = new Deno.Command(file, { args, stdin: 'null', stdout: 'piped' }).spawn()
    const bytes = await countOf(child.stdout)
    await child.status
    return bytes
  },
}

/** @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} stream */
async function countOf(stream) {
  let bytes = 0
  for await (const chunk of stream) bytes += chunk.length
  return bytes
}
