// What is made of results: one file of several, summaries, targets, and what got worse.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changesBetween } from '../../bench/lib/regressions.mjs'
import { addSample, mergeResults, readResults, writeResults } from '../../bench/lib/results.mjs'
import { summarize } from '../../bench/report/summary.mjs'
import { targetsOf } from '../../bench/report/targets.mjs'
import { around, pointOf, resultsOf } from '../support/bench.js'
import { makeFolder } from '../support/suite.js'

const floor = (gone: number[]) => pointOf({ contender: 'cgroup.kill', samples: { gone } })
const ours = (gone: (number | null)[], left: number[] = gone.map(() => 0)) =>
  pointOf({ samples: { gone, left } })

it('are read as they were written', () => {
  const file = join(makeFolder('bench'), 'results.json')
  const point = pointOf({})
  addSample(point, { gone: 1.23456789, left: 0 })
  addSample(point, { gone: null, left: 2 })
  writeResults(file, resultsOf([point]))
  expect(readResults(file)).toEqual(
    resultsOf([pointOf({ samples: { gone: [1.23457, null], left: [0, 2] } })]),
  )
})

it('of several files are those of the last file that has the point', () => {
  const merged = mergeResults([
    resultsOf([ours([1]), floor([2])]),
    { ...resultsOf([ours([3])]), complete: false },
  ])
  expect(merged.points).toEqual([ours([3]), floor([2])])
  expect(merged.complete).toBe(false)
})

it('tell a stop that never ended: no quantile above its share, no share within the budget', () => {
  const [summary] = summarize(resultsOf([ours([10, 20, null, null], [0, 0, 5, 7]), floor([5, 10, 10, 10])]))
  expect(summary).toMatchObject({ count: 4, left: 7, within: 0.5, toFloor: 2, toOurs: 1 })
  expect(summary?.metrics.gone).toEqual({ median: null, p95: null, p99: null, max: null })
  expect(summary?.shares).toEqual([
    [10, 0.25],
    [20, 0.5],
  ])
})

it('are held against the targets', () => {
  const targets = (gone: number[]) => {
    const results = resultsOf([ours(gone), floor(around(10))])
    return targetsOf(results, summarize(results)).map(({ met }) => met)
  }
  expect(targets(around(11))).toEqual([true])
  expect(targets(around(13))).toEqual([false])
  expect(targetsOf(resultsOf([]), [])).toEqual([])
})

describe('a comparison with earlier results', () => {
  const old = resultsOf([ours(around(11)), floor(around(10))])
  const verdicts = (gone: number[], other: number[], left?: number[]) =>
    changesBetween(old, resultsOf([ours(gone, left), floor(other)])).map(({ verdict }) => verdict)

  it('finds a ratio that got worse or better, beyond the noise', () => {
    expect(verdicts(around(20), around(10))).toEqual(['worse'])
    expect(verdicts(around(5), around(10))).toEqual(['better'])
  })

  it('does not mind a slower machine', () => {
    expect(verdicts(around(22), around(20))).toEqual(['same'])
  })

  it('does not take noise for a change', () => {
    const noisy = around(13).map((value, index) => (index % 2 === 0 ? value * 3 : value / 3))
    expect(verdicts(noisy, around(10))).toEqual(['same'])
  })

  it('does not judge by a handful of samples', () => {
    expect(verdicts(around(20, 9), around(10, 9))).toEqual([])
  })

  it('finds a process that is left', () => {
    const left = around(11).map((_, index) => (index === 3 ? 1 : 0))
    expect(verdicts(around(11), around(10), left)).toEqual(['worse', 'same'])
  })

  it('takes more bytes a second for better', () => {
    const read = (contender: string, rate: number) =>
      pointOf({ part: 'streams', case: { width: 1 }, contender, samples: { rate: around(rate) } })
    const before = resultsOf([read('procleash', 2), read('child_process', 2)])
    const after = resultsOf([read('procleash', 1), read('child_process', 2)])
    expect(changesBetween(before, after).map(({ verdict }) => verdict)).toEqual(['worse'])
    expect(changesBetween(after, before).map(({ verdict }) => verdict)).toEqual(['better'])
  })
})
