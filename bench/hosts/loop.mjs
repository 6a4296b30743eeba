// Puts a load on this event loop.

/** @typedef {'idle' | 'busy' | 'blocked'} Load Blocked in a wait, not in a calculation: that would take a core from the tree. */

/** Half of the time: 5 ms of every 10. */
const SPELL = 5

/**
 * Resolves inside of the load. The answer is called right after what is measured: it keeps the loop blocked, or takes
 * the load away after that time.
 *
 * @param {Load} load
 * @returns {Promise<(millis: number) => void>}
 */
export async function loadLoop(load) {
  if (load === 'idle') return () => {}
  if (load === 'blocked') return block
  const timer = setInterval(() => spin(SPELL), 2 * SPELL)
  await new Promise((resolve) => setTimeout(resolve, 6 * SPELL))
  return (millis) => setTimeout(() => clearInterval(timer), millis)
}

/** @param {number} millis */
function block(millis) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)
}

/** @param {number} millis */
function spin(millis) {
  const end = performance.now() + millis
  while (performance.now() < end);
}
