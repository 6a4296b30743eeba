// A round is the same whenever its seed, runtime and number are; and rounds are as different as they should be.

import { expect, it } from 'vitest'
import { planRound, targetsOf } from './plan.mjs'
import { SHAPES } from './shapes.mjs'

const can = { execve: true }
const rounds = Array.from({ length: 400 }, (_, index) => planRound('7', 'node20', index + 1, can))

it('is decided by seed, runtime and number alone', () => {
  expect(planRound('7', 'node20', 33, can)).toEqual(rounds[32])
  expect(planRound('8', 'node20', 33, can)).not.toEqual(rounds[32])
  expect(planRound('7', 'bun', 33, can)).not.toEqual(rounds[32])
})

it('has 1 to 40 trees of every shape, and every fault', () => {
  const counts = rounds.map(({ trees }) => trees.length)
  expect(Math.min(...counts)).toBe(1)
  expect(Math.max(...counts)).toBe(40)
  const shapes = new Set(rounds.flatMap(({ trees }) => trees.map(({ shape }) => shape)))
  expect([...shapes].sort()).toEqual(Object.keys(SHAPES).sort())
  const faults = new Set(rounds.map(({ title }) => title.split(',')[0]))
  expect(faults.size).toBe(23)
})

it('knows whom an action is about', () => {
  const tree = (index: number, owner: string | null, kind: string) => ({
    ...rounds[0]!.trees[0]!,
    index,
    owner,
    kind,
  })
  const round = {
    ...rounds[0]!,
    owners: [
      { id: 'a', parent: null },
      { id: 'a/b', parent: 'a' },
      { id: 'c', parent: null },
    ],
    trees: [
      tree(0, 'a', 'bash'),
      tree(1, 'a/b', 'bash'),
      tree(2, 'a/b', 'subagent'),
      tree(3, 'c', 'bash'),
      tree(4, null, 'bash'),
    ],
  }
  expect(targetsOf(round, { how: 'release', owner: 'a', budget: 1 })).toEqual([0, 1, 2])
  expect(targetsOf(round, { how: 'stop owner', owner: 'a', kind: 'bash' })).toEqual([0, 1])
  expect(targetsOf(round, { how: 'release', owner: 'c', budget: 1 })).toEqual([3])
  expect(targetsOf(round, { how: 'abort', trees: [4] })).toEqual([4])
})
