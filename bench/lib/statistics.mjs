// Statistics that hold on a noisy machine: medians and percentiles, never means.

/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5)
}

/** @param {readonly number[]} values */
export function p95(values) {
  return quantile(values, 0.95)
}

/**
 * Median of the ratios pair by pair: both of a pair ran right after each other, so that a slow moment slows both.
 *
 * @param {readonly number[]} above
 * @param {readonly number[]} below
 */
export function medianRatio(above, below) {
  return median(above.map((value, index) => value / (below[index] ?? Number.NaN)))
}

/**
 * Interpolated linearly between the neighbours.
 *
 * @param {readonly number[]} values
 * @param {number} share
 */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const low = sorted[Math.floor(place)] ?? Number.NaN
  const high = sorted[Math.ceil(place)] ?? Number.NaN
  return low + (high - low) * (place - Math.floor(place))
}
