// The figures of the benchmark: quantiles, pairs, and how far a median can be trusted.

import { describe, expect, it } from 'vitest'
import {
  median,
  medianInterval,
  medianRatio,
  p95,
  p99,
  pairRatios,
  quantile,
  shareWithin,
} from '../../bench/lib/statistics.mjs'

const hundred = Array.from({ length: 101 }, (_, index) => 100 - index)

describe('quantiles', () => {
  it('are those of the sorted values, whatever their order', () => {
    expect([median(hundred), p95(hundred), p99(hundred), quantile(hundred, 1)]).toEqual([50, 95, 99, 100])
    expect(hundred[0]).toBe(100)
  })

  it('lie between two values in proportion', () => {
    expect(median([1, 2])).toBe(1.5)
    expect(p95([0, 10])).toBeCloseTo(9.5)
  })

  it('sort by value, not by text', () => {
    expect(median([10, 9, 100])).toBe(10)
  })

  it('may be infinite', () => {
    const never = Number.POSITIVE_INFINITY
    expect([median([1, never, never, never]), quantile([1, 2, never], 0)]).toEqual([never, 1])
  })

  it('of nothing are not a number', () => {
    expect(median([])).toBeNaN()
  })
})

describe('ratios', () => {
  it('are taken pair by pair, not of the medians', () => {
    expect(pairRatios([1, 20, 3], [2, 10, 3])).toEqual([0.5, 2, 1])
    expect(medianRatio([1, 20, 3], [2, 10, 3])).toBe(1)
  })

  it('leave out pairs of which one was not measured, came to no end, or took no time', () => {
    expect(pairRatios([1, null, 3, 4, 5], [1, 2, null, 0])).toEqual([1])
  })
})

describe('the interval of a median', () => {
  it('holds the 8th to the 23rd of 30 values: 99 % by the binomial distribution', () => {
    const thirty = Array.from({ length: 30 }, (_, index) => index + 1)
    expect(medianInterval(thirty)).toEqual({ low: 8, high: 23 })
  })

  it('is the whole range of few values', () => {
    expect(medianInterval([3, 1, 2])).toEqual({ low: 1, high: 3 })
  })

  it('misses the true median of a known distribution in one of a hundred samples at most', () => {
    let state = 1
    const random = () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
    const misses = Array.from({ length: 2000 }, () => {
      const { low, high } = medianInterval(Array.from({ length: 40 }, random))
      return low > 0.5 || high < 0.5
    }).filter(Boolean).length
    expect(misses).toBeGreaterThan(0)
    expect(misses).toBeLessThan(20)
  })
})

it('counts what never ended as not within a limit', () => {
  expect(shareWithin([1, 500, 501, null], 500)).toBe(0.5)
})
