// How late the event loop is, second by second: a timer of some milliseconds, and what it comes too late.

const TICK = 20
const SECOND = 1000

/**
 * @param {(delay: { median: number, high: number, most: number }) => void} beat Milliseconds; `high`: nine of ten are below.
 * @returns {() => void} Ends it.
 */
export function startPulse(beat) {
  let late = []
  let due = performance.now() + TICK
  let next = performance.now() + SECOND
  const timer = setInterval(() => {
    const now = performance.now()
    late.push(Math.max(0, now - due))
    due = now + TICK
    if (now < next) return
    next = now + SECOND
    const sorted = late.sort((a, b) => a - b)
    late = []
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
    beat({ median: at(0.5), high: at(0.9), most: at(1) })
  }, TICK)
  return () => clearInterval(timer)
}
