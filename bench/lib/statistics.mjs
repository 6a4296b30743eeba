// Statistics that hold on a noisy machine: medians and percentiles, never means.

/** Of the standard normal distribution, two-sided 99 %. */
const Z99 = 2.576

/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5)
}

/** @param {readonly number[]} values */
export function p95(values) {
  return quantile(values, 0.95)
}

/** @param {readonly number[]} values */
export function p99(values) {
  return quantile(values, 0.99)
}

/**
 * Interpolated linearly between the neighbours; NaN of nothing.
 *
 * @param {readonly number[]} values
 * @param {number} share
 */
export function quantile(values, share) {
  const sorted = ascending(values)
  const place = (sorted.length - 1) * share
  const low = sorted[Math.floor(place)] ?? Number.NaN
  const high = sorted[Math.ceil(place)] ?? Number.NaN
  // Both may be infinite.
  return low === high ? low : low + (high - low) * (place - Math.floor(place))
}

/**
 * Median of the ratios pair by pair: both of a pair ran right after each other, so that a slow moment slows both.
 *
 * @param {readonly (number | null)[]} above
 * @param {readonly (number | null)[]} below
 */
export function medianRatio(above, below) {
  return median(pairRatios(above, below))
}

/**
 * Of the pairs in which both were measured.
 *
 * @param {readonly (number | null)[]} above
 * @param {readonly (number | null)[]} below
 * @returns {number[]}
 */
export function pairRatios(above, below) {
  const ratios = []
  for (const [index, value] of above.entries()) {
    const other = below[index]
    if (typeof value === 'number' && typeof other === 'number' && other > 0) ratios.push(value / other)
  }
  return ratios
}

/**
 * Where the true median lies with 99 % confidence, whatever the distribution: two of the values themselves, by the
 * binomial distribution of how many lie below it, taken as normal. Of up to ten values, the whole range.
 *
 * @param {readonly number[]} values
 * @returns {{ readonly low: number, readonly high: number }}
 */
export function medianInterval(values) {
  const sorted = ascending(values)
  const count = sorted.length
  const reach = (Z99 * Math.sqrt(count)) / 2
  const first = Math.max(0, Math.floor(count / 2 - reach))
  return { low: sorted[first] ?? Number.NaN, high: sorted[count - 1 - first] ?? Number.NaN }
}

/**
 * Share of the values within a limit; one that never came (`null`) is not within it.
 *
 * @param {readonly (number | null)[]} values
 * @param {number} limit
 */
export function shareWithin(values, limit) {
  return values.filter((value) => value !== null && value <= limit).length / values.length
}

/** @param {readonly number[]} values */
function ascending(values) {
  return [...values].sort((a, b) => a - b)
}
