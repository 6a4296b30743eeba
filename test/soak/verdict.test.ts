// The verdict of a soak run, on runs that are made up.

import { describe, expect, it } from 'vitest'
import type { Rest, Work } from './sample.mjs'
import { judge, LEAST_RESTS } from './verdict.mjs'

const MINUTE = 60_000

const flat: Omit<Rest, 'at'> = {
  hostMemory: 40_000,
  heap: 8_000_000,
  descriptors: 28,
  threads: 12,
  supervisorMemory: 56,
  supervisorDescriptors: 9,
  keeperMemory: 60,
  keeperDescriptors: 10,
}

interface Change {
  readonly rest?: (index: number) => Partial<Rest>
  readonly delay?: (index: number) => number
  readonly minutes?: number
}

/** The names of what is not flat. */
function steepOf({ rest = () => ({}), delay = () => 1, minutes = 20 }: Change) {
  const rests = Array.from({ length: 60 }, (_, index) => ({ at: index * 20_000, ...flat, ...rest(index) }))
  const work = Array.from({ length: 1200 }, (_, index) => ({
    at: index * 1000,
    delay: { median: 0, high: delay(index), most: 0 },
  })) as Work[]
  const findings = judge({ rests, work, duration: minutes * MINUTE })
  return findings?.filter((finding) => !finding.flat).map(({ name }) => name)
}

describe('flat', () => {
  it('is a run in which nothing changes', () => {
    expect(steepOf({})).toEqual([])
  })

  it('is one that grows only while it warms up', () => {
    const warm = (index: number) => Math.min(index, 18)
    expect(
      steepOf({
        rest: (index) => ({ hostMemory: 40_000 + 2000 * warm(index), descriptors: 20 + warm(index) }),
      }),
    ).toEqual([])
  })

  it('is one with a few bad moments', () => {
    expect(
      steepOf({
        rest: (index) => (index % 9 === 0 ? { hostMemory: 90_000, descriptors: 60 } : {}),
        delay: (index) => (index > 800 && index % 3 === 0 ? 400 : 1),
      }),
    ).toEqual([])
  })
})

describe('not flat', () => {
  it.each([
    { name: 'host: descriptors', rest: (index: number) => ({ descriptors: 28 + Math.floor(index / 8) }) },
    { name: 'host: threads', rest: (index: number) => ({ threads: 12 + Math.floor(index / 8) }) },
    { name: 'host: memory', rest: (index: number) => ({ hostMemory: 40_000 + 400 * index }) },
    { name: 'host: JavaScript heap', rest: (index: number) => ({ heap: 8_000_000 + 80_000 * index }) },
    { name: 'supervisor: memory', rest: (index: number) => ({ supervisorMemory: 56 + index }) },
    {
      name: 'supervisor: descriptors',
      rest: (index: number) => ({ supervisorDescriptors: 9 + Math.floor(index / 20) }),
    },
    { name: 'resident keeper: memory', rest: (index: number) => ({ keeperMemory: 60 + index }) },
    {
      name: 'resident keeper: descriptors',
      rest: (index: number) => ({ keeperDescriptors: 10 + Math.floor(index / 20) }),
    },
  ])('is $name that grows', ({ name, rest }) => {
    expect(steepOf({ rest })).toEqual([name])
  })

  it('is a loop that has more and more to do', () => {
    expect(steepOf({ delay: (index) => index ** 2 / 10_000 })).toEqual(['host: event loop delay'])
  })
})

it('allows a short run more memory, and no more descriptors', () => {
  const rest = (index: number) => ({ hostMemory: 40_000 + 1000 * index, descriptors: 28 + index })
  expect(steepOf({ rest, minutes: 1 })).toEqual(['host: descriptors'])
})

it('says nothing about a run with too few rests', () => {
  const rests = Array.from({ length: LEAST_RESTS - 1 }, (_, index) => ({ at: index, ...flat }))
  expect(judge({ rests, work: [], duration: MINUTE })).toBeUndefined()
})
