// Standard input of a command as a WHATWG stream. A write ends when its bytes are in the pipe, so a slow reader
// slows the writer; native code never holds more than one piece.

import type { Native } from '../bindings/native.js'
import { errnoName } from './errno.js'
import { InvalidOptionError, StreamError } from './errors.js'

/** Bytes given to native code at a time: it copies what the pipe does not take at once. */
const PIECE = 256 * 1024

/** Bytes that may wait in the stream before `writer.ready` holds its writer back. */
const HIGH_WATER_MARK = 64 * 1024

const EPIPE = -32

/** What the types of Node 20 leave out. */
type AbortableController = WritableStreamDefaultController & { readonly signal: AbortSignal }

/** Where the bytes go: the reactor, or a stream of the runtime's behind the same calls. */
export interface InputSink {
  readonly native: Pick<Native, 'write' | 'closeStdin'>
  hold(): () => void
}

export interface Input {
  readonly stream: WritableStream<Uint8Array>
  /** What was queued is in the pipe. */
  written(): void
  /** Nobody reads any more: writes fail from now on with EPIPE, or with this errno. */
  end(errno: number): void
}

export function createInput(sink: InputSink, handle: number): Input {
  const { native } = sink
  let controller: WritableStreamDefaultController | undefined
  /** The piece that native code has not written yet. */
  let pending: { resolve(): void; reject(error: StreamError): void } | undefined
  let failure: StreamError | undefined

  const writePiece = (piece: Uint8Array): Promise<void> | undefined => {
    if (failure !== undefined) throw failure
    const queued = native.write(handle, piece)
    if (queued < 0) throw writeError(queued)
    if (queued === 0) return undefined
    const release = sink.hold()
    return new Promise<void>((resolve, reject) => {
      pending = { resolve, reject }
    }).finally(release)
  }

  const write = async (chunk: unknown): Promise<void> => {
    const bytes = toBytes(chunk)
    for (let start = 0; start < bytes.length; start += PIECE) {
      await writePiece(bytes.subarray(start, start + PIECE))
    }
  }

  const settle = (error: StreamError | undefined): void => {
    const waiting = pending
    pending = undefined
    if (error === undefined) waiting?.resolve()
    else waiting?.reject(error)
  }

  const end = (errno: number): void => {
    if (failure !== undefined) return
    failure = writeError(errno === 0 ? EPIPE : -errno)
    settle(failure)
    controller?.error(failure)
  }

  const stream = new WritableStream<Uint8Array>(
    {
      start: (started) => {
        controller = started
        // abort() below comes only after the write that runs: end that one first.
        const { signal } = started as AbortableController
        signal.addEventListener('abort', () => settle(writeError(EPIPE)), { once: true })
      },
      write,
      close: () => native.closeStdin(handle),
      abort: () => native.closeStdin(handle),
    },
    // Something else than bytes counts 1, so that write() gets it and says what is wrong.
    { highWaterMark: HIGH_WATER_MARK, size: (chunk) => chunk?.byteLength ?? 1 },
  )
  return { stream, written: () => settle(undefined), end }
}

function toBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk)
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_TYPE',
    option: 'chunk',
    must: 'be a Uint8Array',
    value: chunk,
    fix: 'Encode strings with new TextEncoder().encode(text)',
  })
}

function writeError(errno: number): StreamError {
  const code = errnoName(errno)
  const why = errno === EPIPE ? 'nobody reads it any more' : code
  return new StreamError(`Writing to stdin failed: ${why}`, {
    code,
    value: 'stdin',
    fix: 'The command has closed its standard input or has ended; stop writing',
    errno,
    syscall: 'write',
  })
}
