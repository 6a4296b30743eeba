// Standard input of a child as a Node stream, on top of the tree's own. A write calls back when its bytes are in the
// pipe, so a slow reader slows the writer.

import { Buffer } from 'node:buffer'
import process from 'node:process'
import { Writable } from 'node:stream'
import { StreamError } from '../errors.js'

type Callback = (error?: Error | null) => void

/** `opened` gives the tree's stream once the child has told of its start; `null` when there is none. */
export function createWritable(opened: Promise<WritableStream<Uint8Array> | null>): Writable {
  const writer = opened.then((stream) => {
    const own = stream?.getWriter()
    // What nobody reads is told to whoever writes, no one else.
    own?.closed.catch(() => {})
    return own
  })
  const send = async (bytes: Uint8Array): Promise<void> => {
    const open = await writer
    if (open === undefined) throw notStarted()
    await open.write(bytes)
  }
  // By way of nextTick: a callback that throws is then an uncaught exception, not a rejection of ours.
  const answer = (work: Promise<void>, callback: Callback): void => {
    work.then(
      () => process.nextTick(callback),
      (error) => process.nextTick(callback, error),
    )
  }
  return new Writable({
    write: (chunk: Buffer, _encoding, callback) => answer(send(chunk), callback),
    writev: (chunks, callback) => answer(send(Buffer.concat(chunks.map(({ chunk }) => chunk))), callback),
    // All bytes are in the pipe by now. A reader that is gone needs no end of file.
    final: (callback) =>
      answer(
        writer.then((open) => open?.close()).catch(() => {}),
        callback,
      ),
    destroy: (error, callback) => {
      void writer.then((open) => open?.abort()).catch(() => {})
      callback(error)
    },
  })
}

function notStarted(): StreamError {
  return new StreamError('Writing to stdin failed: the command was not started', {
    code: 'EPIPE',
    value: 'stdin',
    fix: "See the child's error event for why",
    errno: -32,
    syscall: 'write',
  })
}
