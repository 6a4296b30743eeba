// What all contenders without an escalation of their own get.

/** Milliseconds from SIGTERM to SIGKILL. */
export const GRACE = 500

/**
 * For a contender that does not take an AbortSignal.
 *
 * @param {AbortSignal | undefined} signal
 * @param {() => Promise<unknown>} stop
 */
export function stopOnAbort(signal, stop) {
  signal?.addEventListener('abort', () => stop().catch(() => {}), { once: true })
}
