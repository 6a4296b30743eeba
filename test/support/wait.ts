// Waiting for conditions, each with a deadline and a sentence that says what was waited for.

import { PATIENCE } from './sanitizer.js'

const POLL = 5
/** On a busy machine one look at all of /proc may take longer than a deadline: that is no waiting yet. */
const LOOKS = 3

/** Resolves with the milliseconds that it took. Rejects when `condition` isn't true before the deadline. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  deadline: number,
  what: string | (() => string),
): Promise<number> {
  const started = performance.now()
  const bound = deadline * PATIENCE
  for (let looks = 1; ; looks += 1) {
    if (await condition()) return performance.now() - started
    if (looks >= LOOKS && performance.now() - started > bound) {
      throw new Error(`after ${bound} ms still not: ${typeof what === 'string' ? what : what()}`)
    }
    await pause(POLL)
  }
}

/** Like {@link waitUntil}, for a value that isn't there at first. */
export async function waitFor<T>(look: () => T | undefined, deadline: number, what: string): Promise<T> {
  let found: T | undefined
  await waitUntil(
    () => {
      found = look()
      return found !== undefined
    },
    deadline,
    what,
  )
  return found as T
}

/** Whether `read` gives the same value for the whole of `window`: the only way to see that something has ended for good. */
export async function staysTheSame(read: () => unknown, window: number): Promise<boolean> {
  const first = read()
  const started = performance.now()
  while (performance.now() - started < window) {
    await pause(POLL)
    if (read() !== first) return false
  }
  return true
}

/** Rejects when `promise` isn't settled before the deadline. */
export async function within<T>(promise: Promise<T>, deadline: number, what: string): Promise<T> {
  const bound = deadline * PATIENCE
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`after ${bound} ms still not: ${what}`)), bound)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
