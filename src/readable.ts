// One output of a command as a WHATWG byte stream. It owns the credit that it gives to native code: never more than
// WINDOW bytes are on their way or waiting here, so a command whose output nobody reads is slowed down, as by a pipe.
// It never loses what has arrived: bytes that wait stay readable after the tree has ended.

import type { Native } from '../bindings/native.js'
import { createByteQueue } from './byte-queue.js'
import { errnoName } from './errno.js'
import { StreamError } from './errors.js'

/** Bytes that a command may be ahead of its reader, besides what the kernel's pipe holds. */
const WINDOW = 512 * 1024

// Credit goes back in pieces of at least this size: one native call for many small reads. What is kept back is
// always less than the window, so the flow can't stop.
const CREDIT_PIECE = 64 * 1024

/** What may still come after the tree's end, far above any pipe: more comes from a process that is not in the tree. */
const LAST_OUTPUT = 16 * 1024 * 1024

/** Where the bytes come from: the reactor, or a stream of the runtime's behind the same calls. */
export interface OutputSource {
  readonly native: Pick<Native, 'grant' | 'cancel'>
  hold(): () => void
}

export interface Output {
  /** Made when somebody first asks: many commands are started whose output nobody reads. */
  stream(): ReadableStream<Uint8Array>
  /** Copies the bytes out. */
  push(bytes: Uint8Array): void
  /** `errno` 0 is the end of file. */
  end(errno: number): void
  isEnded(): boolean
  /** The tree has ended: native code sends the rest of the pipe without asking for credit. */
  treeEnded(): void
}

export function createOutput(source: OutputSource, handle: number, number: 1 | 2): Output {
  const { native } = source
  const queue = createByteQueue()
  let controller: ReadableByteStreamController | undefined
  /** A read that waits for bytes: lets pull() end, and the event loop with it. */
  let waiting: (() => void) | undefined
  let state: 'open' | 'ended' | 'closed' = 'open'
  let endErrno = 0
  let unreturned = 0
  let allowed = Infinity

  const grant = (bytes: number): void => {
    if (state === 'open') native.grant(handle, number, bytes)
  }

  const returnCredit = (bytes: number): void => {
    unreturned += bytes
    if (unreturned < CREDIT_PIECE) return
    grant(unreturned)
    unreturned = 0
  }

  const wake = (): void => {
    const resume = waiting
    waiting = undefined
    resume?.()
  }

  /** Closes the stream once the last byte was handed over. */
  const finish = (): void => {
    if (state !== 'ended' || queue.size() > 0 || controller === undefined) return
    state = 'closed'
    if (endErrno === 0) {
      controller.close()
      // A pending BYOB read is only told of the end by an answer of no bytes.
      controller.byobRequest?.respond(0)
    } else {
      controller.error(readError(-endErrno, number))
    }
  }

  /** Answers the read that waits, from the queue. */
  const deliver = (): void => {
    const request = controller?.byobRequest
    const view = request?.view
    if (request && view) {
      const length = queue.shiftInto(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
      request.respond(length)
      returnCredit(length)
    } else {
      const bytes = queue.shift()
      if (bytes === undefined) return
      const { length } = bytes
      // Takes the buffer over: bytes is empty after this.
      controller?.enqueue(bytes)
      returnCredit(length)
    }
  }

  const pull = (): Promise<void> | undefined => {
    if (queue.size() > 0) {
      deliver()
      finish()
      return undefined
    }
    // The promise holds back further pulls, and the event loop stays alive for this read.
    const release = source.hold()
    return new Promise((resolve) => {
      waiting = () => {
        release()
        resolve()
      }
    })
  }

  /** Straight from the slab into the reader's buffer; the rest goes to the queue. */
  const push = (bytes: Uint8Array): void => {
    if (state !== 'open') return
    allowed -= bytes.length
    if (allowed < 0) {
      end(0)
      native.cancel(handle, number)
      return
    }
    const view = waiting === undefined ? undefined : controller?.byobRequest?.view
    if (waiting !== undefined && view) {
      const length = Math.min(view.byteLength, bytes.length)
      new Uint8Array(view.buffer, view.byteOffset, length).set(bytes.subarray(0, length))
      queue.push(bytes.subarray(length))
      controller?.byobRequest?.respond(length)
      returnCredit(length)
      wake()
      return
    }
    queue.push(bytes)
    if (waiting === undefined) return
    deliver()
    wake()
  }

  const end = (errno: number): void => {
    if (state !== 'open') return
    state = 'ended'
    endErrno = errno
    finish()
    wake()
  }

  const cancel = (): void => {
    const wasOpen = state === 'open'
    state = 'closed'
    queue.clear()
    wake()
    if (wasOpen) native.cancel(handle, number)
  }

  const makeStream = (): ReadableStream<Uint8Array> =>
    new ReadableStream(
      {
        type: 'bytes',
        start: (started) => {
          controller = started
          finish()
        },
        pull,
        cancel,
      },
      { highWaterMark: 0 },
    )

  let stream: ReadableStream<Uint8Array> | undefined
  grant(WINDOW)
  return {
    stream: () => {
      stream ??= makeStream()
      return stream
    },
    push,
    end,
    isEnded: () => state !== 'open',
    treeEnded: () => {
      allowed = LAST_OUTPUT
    },
  }
}

function readError(errno: number, number: 1 | 2): StreamError {
  const name = number === 1 ? 'stdout' : 'stderr'
  const code = errnoName(errno)
  return new StreamError(`Reading ${name} failed: ${code}`, {
    code,
    value: name,
    fix: 'What was read so far is complete; the rest is lost',
    errno,
    syscall: 'read',
  })
}
