// Waiting in a fault run: everything has a bound, and says so instead of hanging.

const POLL = 5
/** Milliseconds until what was told to go is gone. */
export const PATIENCE = 15_000

/**
 * @template T, Late
 * @param {Promise<T>} promise
 * @param {number} most Milliseconds.
 * @param {() => Late} late What it is then; may throw.
 * @returns {Promise<T | Late>}
 */
export async function within(promise, most, late) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const over = new Promise((resolve) => {
    // After a standstill of our own, what has come meanwhile is heard first.
    timer = setTimeout(() => setTimeout(resolve, 50), most)
  })
  try {
    return await Promise.race([promise, over.then(late)])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * @param {() => boolean} condition
 * @param {number} [patience]
 */
export async function until(condition, patience = PATIENCE) {
  const over = performance.now() + patience
  while (!condition() && performance.now() < over) await new Promise((resolve) => setTimeout(resolve, POLL))
}

/**
 * @template T
 * @param {() => T[]} look
 * @param {number} [patience]
 */
export async function untilNone(look, patience) {
  /** @type {T[]} */
  let left = []
  await until(() => {
    left = look()
    return left.length === 0
  }, patience)
  return left
}
