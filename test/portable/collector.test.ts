// The kept halves of an output, against the plain way of having all of it.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCollector } from '../../src/portable/collector.js'

it('keeps the first and the last half, whatever the pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }),
      fc.integer({ min: 0, max: 60 }),
      (pieces, limit) => {
        const collector = createCollector(limit)
        for (const piece of pieces) collector.push(piece)
        const all = pieces.flatMap((piece) => [...piece])
        const head = Math.ceil(limit / 2)
        const tail = limit - head
        const kept = all.length <= limit ? all : [...all.slice(0, head), ...all.slice(all.length - tail)]
        const { bytes, total } = collector.take()
        expect([...bytes]).toEqual(kept)
        expect(total).toBe(all.length)
      },
    ),
  )
})
