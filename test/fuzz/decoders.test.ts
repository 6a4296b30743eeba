// The decoders of the keeper's messages on JavaScript's side: whatever the bytes, a value or a WireError.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  decodeExited,
  decodeFailed,
  decodeProcesses,
  decodeReason,
  decodeRecording,
  decodeSettled,
  decodeStarted,
  WireError,
} from '../../src/wire.js'

const decoders = {
  decodeStarted,
  decodeFailed,
  decodeExited,
  decodeReason,
  decodeRecording,
  decodeSettled,
  decodeProcesses,
}

/** A settlement with one survivor, as the keeper packs it. */
function settlement(): Uint8Array {
  const view = new DataView(new ArrayBuffer(44 + 54))
  view.setUint8(0, 1)
  view.setUint16(42, 1, true)
  view.setUint8(44 + 44, 'S'.charCodeAt(0))
  return new Uint8Array(view.buffer)
}

function outcome(decode: (payload: ArrayBuffer) => unknown, bytes: Uint8Array): 'value' | 'refused' {
  try {
    decode(bytes.slice().buffer)
    return 'value'
  } catch (error) {
    if (error instanceof WireError) return 'refused'
    throw error
  }
}

for (const [name, decode] of Object.entries(decoders)) {
  it(`${name}: any bytes`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(['value', 'refused']).toContain(outcome(decode, bytes))
      }),
      { numRuns: 2000 },
    )
  })
}

it('decodeSettled: a true settlement is read; cut anywhere, or longer, it is refused', () => {
  const whole = settlement()
  expect(outcome(decodeSettled, whole)).toBe('value')
  for (let size = 0; size < whole.length; size++) {
    expect(outcome(decodeSettled, whole.subarray(0, size)), `${size} bytes`).toBe('refused')
  }
  expect(outcome(decodeSettled, new Uint8Array([...whole, 0]))).toBe('refused')
})

it('decodeSettled: with any byte of it changed, a value or a refusal', () => {
  fc.assert(
    fc.property(fc.nat(settlement().length - 1), fc.integer({ min: 0, max: 255 }), (at, value) => {
      const bytes = settlement()
      bytes[at] = value
      expect(['value', 'refused']).toContain(outcome(decodeSettled, bytes))
    }),
    { numRuns: 2000 },
  )
})
