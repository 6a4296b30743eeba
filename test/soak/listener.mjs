// What the host says: events with a taker, and answers that are waited for, not for ever.

/** @typedef {import('../chaos/host.mjs').HostEvent} HostEvent */

/**
 * @param {import('../chaos/host.mjs').ChaosHost} host
 * @param {number} patience Milliseconds for an answer.
 */
export function createListener(host, patience) {
  /** @type {Map<string, (event: HostEvent) => void>} */
  const takers = new Map()
  host.listen((event) => takers.get(event.event)?.(event))
  /** Rejects when the host ends. @type {Promise<never>} */
  const failed = host.ended.then(({ code, signal }) => {
    throw new Error(`the host has ended early: ${signal ?? code}`)
  })
  // In the end it ends.
  failed.catch(() => {})

  return {
    failed,
    /** @param {string} event @param {(event: HostEvent) => void} taker */
    on(event, taker) {
      takers.set(event, taker)
    },
    /**
     * @param {string} op
     * @param {string} answer Name of the event that answers.
     * @param {object} [request]
     * @returns {Promise<HostEvent>}
     */
    async ask(op, answer, request) {
      /** @type {NodeJS.Timeout | undefined} */
      let timer
      const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer to ${op} after ${patience} ms`)), patience)
      })
      /** @type {Promise<HostEvent>} */
      const answered = new Promise((resolve) => takers.set(answer, resolve))
      host.tell(op, request)
      try {
        return await Promise.race([answered, failed, /** @type {Promise<never>} */ (late)])
      } finally {
        clearTimeout(timer)
        takers.delete(answer)
      }
    },
  }
}
