// The bytes of one output that arrived before somebody asked. It copies what it is given: the slab's slots go back
// at once. Small pieces share a block, so that a command that writes byte by byte costs bytes, not objects.

export interface ByteQueue {
  /** Bytes held. */
  size(): number
  push(bytes: Uint8Array): void
  /** The oldest bytes, in a buffer that nobody else holds; `undefined` when empty. */
  shift(): Uint8Array<ArrayBuffer> | undefined
  /** Copies the oldest bytes into `target` and returns how many. */
  shiftInto(target: Uint8Array): number
  clear(): void
}

interface Block {
  readonly bytes: Uint8Array<ArrayBuffer>
  start: number
  end: number
}

const SHARED_BLOCK = 16 * 1024

// For a reader with buffers of its own: blocks that are used again, so that its reading makes no garbage. They hold
// the largest piece that comes, a slot of the slab.
const RECYCLED_BLOCK = 64 * 1024
const MOST_SPARES = 8

export function createByteQueue(): ByteQueue {
  let blocks: Block[] = []
  let spares: Block[] = []
  let recycling = false
  let size = 0

  const freshBlock = (length: number): Block => {
    const spare = recycling && length <= RECYCLED_BLOCK ? spares.pop() : undefined
    const capacity = Math.max(length, recycling ? RECYCLED_BLOCK : SHARED_BLOCK)
    return spare ?? { bytes: new Uint8Array(capacity), start: 0, end: 0 }
  }

  const push = (bytes: Uint8Array): void => {
    const { length } = bytes
    if (length === 0) return
    size += length
    let block = blocks.at(-1)
    if (block === undefined && !recycling) {
      // An exact block, which shift() can hand out as it is: the usual case of a prompt reader.
      blocks.push({ bytes: copyOf(bytes), start: 0, end: length })
      return
    }
    if (block === undefined || block.bytes.length - block.end < length) {
      block = freshBlock(length)
      blocks.push(block)
    }
    block.bytes.set(bytes, block.end)
    block.end += length
  }

  const shift = (): Uint8Array<ArrayBuffer> | undefined => {
    const block = blocks.shift()
    if (block === undefined) return undefined
    recycling = false
    size -= block.end - block.start
    const exact = block.start === 0 && block.end === block.bytes.length
    return exact ? block.bytes : block.bytes.slice(block.start, block.end)
  }

  const shiftInto = (target: Uint8Array): number => {
    recycling = true
    let copied = 0
    for (let block = blocks[0]; block !== undefined && copied < target.length; block = blocks[0]) {
      const length = Math.min(block.end - block.start, target.length - copied)
      target.set(block.bytes.subarray(block.start, block.start + length), copied)
      copied += length
      block.start += length
      if (block.start === block.end) recycle(blocks.shift())
    }
    size -= copied
    return copied
  }

  const recycle = (block: Block | undefined): void => {
    if (block === undefined || block.bytes.length !== RECYCLED_BLOCK || spares.length >= MOST_SPARES) return
    block.start = 0
    block.end = 0
    spares.push(block)
  }

  const clear = (): void => {
    blocks = []
    spares = []
    size = 0
  }

  return { size: () => size, push, shift, shiftInto, clear }
}

/** By the buffer's own slice(), which doesn't fill the new memory with zeros first, as an array's constructor does. */
function copyOf({ buffer, byteOffset, length }: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer)
}
