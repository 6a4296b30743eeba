// Reads the output of one command as fast as it can: by procleash's stream, or by this runtime's child_process.
// One measurement a process, so that the peak of its memory is that of this way of reading.

import { spawn as spawnChild } from 'node:child_process'
import { once } from 'node:events'
import { spawn } from '../../dist/src/index.js'
import { statusKilobytes } from '../lib/proc.mjs'
import { serve } from './serve.mjs'

const BUFFER = 256 * 1024

/** @type {Record<string, (file: string, args: string[]) => Promise<number>>} Answers the number of bytes. */
const readers = {
  async stream(file, args) {
    const command = await spawn(file, args)
    let bytes = 0
    for await (const chunk of command.stdout ?? []) bytes += chunk.length
    return bytes
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
}

await serve({
  /** @param {{ reader: string, file: string, args: string[] }} details */
  async measure({ reader, file, args }) {
    const idle = statusKilobytes('self', 'VmHWM')
    const before = performance.now()
    const bytes = await readers[reader]?.(file, args)
    return {
      bytes,
      seconds: (performance.now() - before) / 1000,
      idle,
      peak: statusKilobytes('self', 'VmHWM'),
    }
  },
})
