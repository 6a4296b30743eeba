// Keeps the first and the last half of an output within a bound, and counts what it drops between them. Memory grows
// with what is kept, never with what flows.

import type { CollectedOutput } from '../tree.js'

export interface Collector {
  push(bytes: Uint8Array): void
  take(): CollectedOutput
}

export function createCollector(limit: number): Collector {
  const headSize = Math.ceil(limit / 2)
  const tailSize = limit - headSize
  const head: Uint8Array[] = []
  let tail: Uint8Array[] = []
  let headLength = 0
  let tailLength = 0
  let total = 0

  const push = (bytes: Uint8Array): void => {
    total += bytes.length
    const first = bytes.subarray(0, headSize - headLength)
    // Copies: a piece may be a window on a large buffer of the runtime's.
    if (first.length > 0) head.push(first.slice())
    headLength += first.length
    const rest = bytes.subarray(first.length)
    if (rest.length === 0 || tailSize === 0) return
    tail.push(rest.slice(-tailSize))
    tailLength += Math.min(rest.length, tailSize)
    trim()
  }

  /** Drops whole pieces; one that is needed in part stays until it is not. */
  const trim = (): void => {
    let drop = 0
    for (const { length } of tail) {
      if (tailLength - length < tailSize) break
      tailLength -= length
      drop += 1
    }
    if (drop > 0) tail = tail.slice(drop)
  }

  const take = (): CollectedOutput => {
    const end = join(tail, tailLength).subarray(Math.max(0, tailLength - tailSize))
    return { bytes: join([...head, end], headLength + end.length), total }
  }

  return { push, take }
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
