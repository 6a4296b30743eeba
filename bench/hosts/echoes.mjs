// The ways to talk with a command that are compared: a line to `cat` and back.

import { spawn as spawnChild } from 'node:child_process'
import { spawn } from '../../dist/src/index.js'

const LINE = new TextEncoder().encode('a line of text that goes there and comes back\n')

/** @typedef {{ trip: () => Promise<void>, close: () => Promise<unknown> }} Echo */

/** @type {Record<string, () => Promise<Echo>>} */
export const openers = {
  async procleash() {
    const command = await spawn('cat', [], { stdin: 'pipe' })
    const input = /** @type {WritableStream<Uint8Array>} */ (command.stdin).getWriter()
    const reader = /** @type {ReadableStream<Uint8Array>} */ (command.stdout).getReader()
    return {
      trip: () => tripOf((line) => input.write(line), reader),
      close: () => command.stop(),
    }
  },

  async child_process() {
    const child = spawnChild('cat', [], { stdio: ['pipe', 'pipe', 'inherit'] })
    return {
      trip: () =>
        new Promise((resolve) => {
          let missing = LINE.length
          /** @param {Uint8Array} chunk */
          const take = (chunk) => {
            missing -= chunk.length
            if (missing > 0) return
            child.stdout.off('data', take)
            resolve()
          }
          child.stdout.on('data', take)
          child.stdin.write(LINE)
        }),
      close: () => new Promise((resolve) => child.once('close', resolve) && child.stdin.end()),
    }
  },

  async 'bun.spawn'() {
    const { Bun } = /** @type {any} */ (globalThis)
    const child = Bun.spawn(['cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const reader = child.stdout.getReader()
    const write = async (/** @type {Uint8Array} */ line) => {
      child.stdin.write(line)
      await child.stdin.flush()
    }
    return { trip: () => tripOf(write, reader), close: () => child.stdin.end() && child.exited }
  },

  async 'deno.command'() {
    const { Deno } = /** @type {any} */ (globalThis)
    const child = new Deno.Command('cat', { stdin: 'piped', stdout: 'piped' }).spawn()
    const input = child.stdin.getWriter()
    const reader = child.stdout.getReader()
    return {
      trip: () => tripOf((line) => input.write(line), reader),
      close: async () => {
        await input.close()
        return child.status
      },
    }
  },
}

/**
 * @param {(line: Uint8Array) => Promise<unknown>} write
 * @param {{ read: () => Promise<{ value?: Uint8Array | undefined }> }} reader
 */
async function tripOf(write, reader) {
  const written = write(LINE)
  for (let missing = LINE.length; missing > 0; ) missing -= (await reader.read()).value?.length ?? missing
  await written
}
