// What stands between covered work and its holder. Everything that reaches the holder passes deliver(), one thing in
// each turn of the event loop: a reaction to one thing may revoke the lease, and nothing that waits behind it in the
// microtask queue must slip through then.

import { setImmediate, setTimeout } from 'node:timers'

/**
 * Deno's setImmediate has waited for other timers more than once (denoland/deno#31642), and a stream that it drives stood
 * still here with 2.9.
 */
const inNextTurn: (act: () => void) => void =
  'Deno' in globalThis ? (act) => setTimeout(act, 0) : setImmediate

export interface Gate {
  isCut(): boolean
  /** Runs `act` in a turn of its own, unless the gate is cut by then. */
  deliver(act: () => void): void
  /** Follows `source` as long as the gate is open; then rejects with the error that it was cut with. */
  follow<Value>(source: Promise<Value>): Promise<Value>
  /** Runs at once when the gate is cut already. Returns the way to leave. */
  onCut(act: (error: Error) => void): () => void
  /** Synchronous: when it returns, nothing passes any more. */
  cut(error: Error): void
}

export function createGate(): Gate {
  let cutWith: Error | undefined
  const acts = new Set<(error: Error) => void>()

  const deliver = (act: () => void): void => {
    if (cutWith !== undefined) return
    inNextTurn(() => {
      if (cutWith === undefined) act()
    })
  }

  const onCut = (act: (error: Error) => void): (() => void) => {
    if (cutWith !== undefined) act(cutWith)
    else acts.add(act)
    return () => acts.delete(act)
  }

  const follow = <Value>(source: Promise<Value>): Promise<Value> => {
    const followed = new Promise<Value>((resolve, reject) => {
      const leave = onCut(reject)
      const pass = (act: () => void): void =>
        deliver(() => {
          leave()
          act()
        })
      source.then(
        (value) => pass(() => resolve(value)),
        (error) => pass(() => reject(error)),
      )
    })
    // Nobody may be waiting, and a lease that is revoked is no reason for the host to end.
    followed.catch(() => {})
    return followed
  }

  const cut = (error: Error): void => {
    cutWith = error
    for (const act of acts) act(error)
    acts.clear()
  }

  return { isCut: () => cutWith !== undefined, deliver, follow, onCut, cut }
}
