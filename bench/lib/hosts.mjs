// The hosts of one part in one runtime: one for each contender, so that none disturbs another, started when first
// needed.

import { contenders } from '../contenders/index.mjs'
import { startHost } from './host.mjs'

/** @typedef {import('../../scripts/runtimes.mjs').Runtime} Runtime */
/** @typedef {import('./host.mjs').Host} Host */
/** @typedef {ReturnType<typeof createHosts>} Hosts */

/** @param {(contender: string) => boolean} [takes] Who is measured at all. */
export function createHosts(takes = () => true) {
  /** @type {Map<string, Host>} */
  const running = new Map()

  return {
    takes,
    /**
     * @param {Runtime} runtime
     * @param {string} file
     * @param {string} name Of the contender.
     */
    get(runtime, file, name) {
      const key = `${runtime.name} ${file} ${name}`
      const host = running.get(key) ?? startHost(runtime, file, contenders[name]?.hostArgs)
      running.set(key, host)
      return host
    },
    /**
     * The next `get` starts a new one.
     *
     * @param {Runtime} runtime
     * @param {string} file
     * @param {string} name
     */
    async drop(runtime, file, name) {
      const key = `${runtime.name} ${file} ${name}`
      const host = running.get(key)
      running.delete(key)
      await host?.end()
    },
    async close() {
      const all = [...running.values()]
      running.clear()
      await Promise.all(all.map((host) => host.end()))
    },
  }
}
