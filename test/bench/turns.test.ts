// Whose turn it is: rounds in a rotating order, more of them for the fast, fewer for those that leave something, are
// slow or fail.

import { expect, it } from 'vitest'
import { createTurns, type Sample } from '../../bench/lib/turns.mjs'

const goal = { metric: 'gone', rounds: 30, fastRounds: 100 }

/** Plays all rounds. Answers how many turns each had. */
function play(sampleOf: (name: string) => Sample, names: string[], wall = 1): Record<string, number> {
  const turns = createTurns(names, goal)
  const counts = Object.fromEntries(names.map((name) => [name, 0]))
  for (let next = turns.next(); next.length > 0; next = turns.next()) {
    for (const name of next) {
      counts[name]! += 1
      turns.record(name, sampleOf(name), wall)
    }
  }
  return counts
}

it('lets each begin in turn', () => {
  const turns = createTurns(['a', 'b', 'c'], goal)
  expect([turns.next(), turns.next(), turns.next(), turns.next()]).toEqual([
    ['a', 'b', 'c'],
    ['b', 'c', 'a'],
    ['c', 'a', 'b'],
    ['a', 'b', 'c'],
  ])
})

it('measures 30 times, and 100 times where the median is below 50 ms', () => {
  const time = { slow: 60, fast: 40 } as Record<string, number>
  expect(play((name) => ({ gone: time[name]!, left: 0 }), ['slow', 'fast'])).toEqual({ slow: 30, fast: 100 })
})

it('takes ten samples of a contender that leaves something each time, and all of one that does once', () => {
  let stops = 0
  const counts = play(
    (name) => {
      if (name === 'always') return { gone: null, left: 3 }
      stops += 1
      return stops === 5 ? { gone: null, left: 1 } : { gone: 60, left: 0 }
    },
    ['always', 'once'],
  )
  expect(counts).toEqual({ always: 10, once: 30 })
})

it('gives a contender that takes seconds ten of them', () => {
  expect(play(() => ({ gone: 4000, left: 0 }), ['slow'], 4000)).toEqual({ slow: 3 })
})

it('gives up a contender that fails twice in a row, and says why', () => {
  const turns = createTurns(['a', 'b'], goal)
  turns.fail('a', 'the first')
  turns.record('a', { gone: 1 }, 1)
  turns.fail('a', 'the second')
  expect(turns.failureOf('a')).toBeUndefined()
  turns.fail('a', 'the third')
  expect(turns.failureOf('a')).toBe('the second')
  expect(turns.next()).toEqual(['b'])
  expect(turns.hasOneOfEach()).toBe(false)
  turns.record('b', { gone: 1 }, 1)
  expect(turns.hasOneOfEach()).toBe(true)
})
