// Starts trees and stops them, one at a time.

import { setTimeout as delay } from 'node:timers/promises'
import { capabilities, spawn } from '../../dist/src/index.js'
import { contenders } from '../contenders/index.mjs'
import { now } from './clock.mjs'
import { loadLoop } from './loop.mjs'
import { serve } from './serve.mjs'

/** @type {import('../contenders/types.mjs').Running | undefined} */
let tree
let controller = new AbortController()

await serve({
  helper: () => ({ helper: capabilities().helper }),

  /** @param {{ contender: string }} details */
  async missing({ contender }) {
    return { missing: await contenders[contender]?.missing?.() }
  },

  /** @param {{ contender: string, file: string, args: string[], options?: import('../contenders/types.mjs').StartOptions }} details */
  async start({ contender, file, args, options }) {
    controller = new AbortController()
    tree = await contenders[contender]?.start(file, args, { ...options, signal: controller.signal })
    return { pid: tree?.pid }
  },

  /** Starts with procleash, and waits for the first output of a command that says when it is ready. */
  async startReady({ file, args }) {
    const command = await spawn(file, args, { stderr: 'inherit' })
    tree = { pid: command.pid, stop: () => command.stop() }
    const first = await command.stdout?.getReader().read()
    if (first?.done) throw new Error(`${file} ended early: ${JSON.stringify(await command.settled)}`)
    return { pid: command.pid }
  },

  /**
   * `elapsed`: milliseconds until the contender said that it was done, none when it never did.
   *
   * @param {{ patience?: number }} details Milliseconds to wait for its word. Default: 15 s.
   */
  async stop({ patience = 15_000 }) {
    const time = now()
    const settlement = await Promise.race([tree?.stop(), later(patience)])
    const elapsed = now() - time
    return { time, ...(elapsed < patience && { elapsed }), settlement: settlement ?? null }
  },

  /**
   * Aborts the tree's signal, in an event loop that is idle, busy or blocked.
   *
   * @param {{ loop: import('./loop.mjs').Load, millis: number }} details Blocked for `millis` after the abort.
   * @param {(answer: object) => void} reply
   */
  async abort({ loop, millis }, reply) {
    const rest = await loadLoop(loop)
    const time = now()
    controller.abort()
    reply({ time })
    rest(millis)
  },
})

/** @param {number} millis @returns {Promise<undefined>} */
function later(millis) {
  return delay(millis, undefined, { ref: false })
}
