// One listener for each signal, however many trees wait for it: an agent gives all its commands the same signal, and
// Node 20 warns of a leak from the eleventh listener on.

interface Waiting {
  readonly acts: Set<() => void>
  readonly listener: () => void
}

const waiting = new WeakMap<AbortSignal, Waiting>()

/** Runs `act` when the signal is aborted. Returns the way to leave; the last one to leave takes the listener along. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const { acts, listener } = waiting.get(signal) ?? listen(signal)
  acts.add(act)
  return () => {
    acts.delete(act)
    if (acts.size > 0) return
    signal.removeEventListener('abort', listener)
    waiting.delete(signal)
  }
}

function listen(signal: AbortSignal): Waiting {
  const acts = new Set<() => void>()
  const listener = (): void => {
    for (const act of acts) act()
  }
  signal.addEventListener('abort', listener, { once: true })
  const entry = { acts, listener }
  waiting.set(signal, entry)
  return entry
}
