// One output of a child as a Node stream, on top of the tree's own. It reads a piece only when Node's buffer asks for
// one, so the command is held back as far as its reader is.

import { Buffer } from 'node:buffer'
import process from 'node:process'
import { Readable } from 'node:stream'

/** `opened` gives the tree's stream once the child has told of its start; `null` when there is none. */
export function createReadable(opened: Promise<ReadableStream<Uint8Array> | null>): Readable {
  const reader = opened.then((stream) => stream?.getReader())
  const next = async (): Promise<Buffer | null> => {
    const result = await (await reader)?.read()
    const value = result?.value
    return value === undefined ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
  return new Readable({
    // By way of nextTick: a listener that throws is then an uncaught exception, not a rejection of ours.
    read() {
      next().then(
        (piece) => process.nextTick(() => this.push(piece)),
        (error) => process.nextTick(() => this.destroy(error)),
      )
    },
    destroy(error, callback) {
      void reader.then((open) => open?.cancel()).catch(() => {})
      callback(error)
    },
  })
}
