// What a run kept of an output, as bytes or text. The middle may be missing: the head is the first half of the
// limit, the tail the last; text is decoded on both sides of the cut by itself, so that no character is made up of
// bytes that never stood together.

import type { CollectedOutput } from './tree.js'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** `maxOutput` is the limit that the output was collected with. Broken sequences elsewhere than at the cut read U+FFFD. */
export function outputText({ bytes, total }: CollectedOutput, maxOutput: number): string {
  if (total <= bytes.length) return decoder.decode(bytes)
  const cut = Math.ceil(maxOutput / 2)
  const head = bytes.subarray(0, cut)
  const tail = bytes.subarray(cut)
  return (
    decoder.decode(head.subarray(0, wholeLength(head))) + decoder.decode(tail.subarray(brokenStart(tail)))
  )
}

export function droppedBytes({ bytes, total }: CollectedOutput): number {
  return Math.max(0, total - bytes.length)
}

/** Length without a last character that lacks bytes. */
export function wholeLength(bytes: Uint8Array): number {
  const { length } = bytes
  for (let back = 1; back <= 3 && back <= length; back += 1) {
    const byte = bytes[length - back] ?? 0
    if (isContinuation(byte)) continue
    return sequenceLength(byte) > back ? length - back : length
  }
  return length
}

/** Number of bytes at the start that belong to a character whose first byte is missing. */
export function brokenStart(bytes: Uint8Array): number {
  let start = 0
  while (start < 3 && start < bytes.length && isContinuation(bytes[start] ?? 0)) start += 1
  return start
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000
}

function sequenceLength(first: number): number {
  if (first >= 0xf0) return 4
  if (first >= 0xe0) return 3
  return first >= 0xc0 ? 2 : 1
}
