// A seeded source of chance: the same text gives the same numbers, on every machine and in every runtime.

/**
 * @typedef {object} Random
 * @property {() => number} next From 0 to below 1.
 * @property {(chance: number) => boolean} chance
 * @property {(least: number, most: number) => number} int Both ends belong to it.
 * @property {(least: number, most: number) => number} few An integer, small ones more often: even on a logarithmic scale.
 * @property {<T>(list: readonly T[]) => T} pick
 * @property {<T>(list: readonly (readonly [number, T])[]) => T} weighted
 * @property {<T>(list: readonly T[], share: number) => T[]} some Each with this chance, at least one of a list that has any.
 * @property {<T>(list: readonly T[]) => T[]} shuffled
 */

/**
 * @param {string} seed
 * @returns {Random}
 */
export function createRandom(seed) {
  const next = sfc32(seed)

  /** @type {Random['int']} */
  const int = (least, most) => least + Math.floor(next() * (most - least + 1))

  /** @type {Random['pick']} */
  const pick = (list) => /** @type {any} */ (list[int(0, list.length - 1)])

  return {
    next,
    chance: (chance) => next() < chance,
    int,
    few(least, most) {
      const exponent = next() * Math.log(most - least + 2)
      return Math.min(most, least + Math.floor(Math.exp(exponent)) - 1)
    },
    pick,
    weighted(list) {
      const total = list.reduce((sum, [weight]) => sum + weight, 0)
      let at = next() * total
      for (const [weight, value] of list) {
        at -= weight
        if (at < 0) return value
      }
      return /** @type {any} */ (list.at(-1))[1]
    },
    some(list, share) {
      const chosen = list.filter(() => next() < share)
      return chosen.length > 0 || list.length === 0 ? chosen : [pick(list)]
    },
    shuffled(list) {
      const copy = [...list]
      for (let at = copy.length - 1; at > 0; at -= 1) {
        const other = int(0, at)
        const kept = copy[at]
        copy[at] = /** @type {any} */ (copy[other])
        copy[other] = /** @type {any} */ (kept)
      }
      return copy
    },
  }
}

/**
 * Chris Doty-Humphrey's sfc32 (PractRand), seeded by a hash of the text.
 *
 * @param {string} seed
 */
function sfc32(seed) {
  const hash = xmur3(seed)
  let a = hash()
  let b = hash()
  let c = hash()
  let counter = 1
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return (sum >>> 0) / 2 ** 32
  }
  for (let round = 0; round < 15; round += 1) next()
  return next
}

/** @param {string} text */
function xmur3(text) {
  let hash = 1779033703 ^ text.length
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 3432918353)
    hash = (hash << 13) | (hash >>> 19)
  }
  return () => {
    hash = Math.imul(hash ^ (hash >>> 16), 2246822507)
    hash = Math.imul(hash ^ (hash >>> 13), 3266489909)
    hash ^= hash >>> 16
    return hash | 0
  }
}
