// What starting a command costs: how long it blocks the event loop, when the command runs, how many a second.

import { existsSync, readFileSync } from 'node:fs'
import { now } from './clock.mjs'
import { serve } from './serve.mjs'
import { starters } from './starters.mjs'

const PIECE = 64 * 1024 * 1024

/** @type {Buffer[]} */
const heap = []

await serve({
  /** @param {{ bytes: number }} details Outside of the JavaScript heap, every page touched. */
  fill({ bytes }) {
    for (let filled = 0; filled < bytes; filled += PIECE) heap.push(Buffer.alloc(PIECE, 1))
  },

  /**
   * Calls and stalls of different commands: a loop that spins takes a core from what is being started.
   *
   * @param {{ by: string, count: number }} details
   */
  async measure({ by, count }) {
    const start = () => starterOf(by)('true', [], 'pipe')
    /** @type {{ calls: number[], stalls: number[] }} */
    const measured = { calls: [], stalls: [] }
    for (let turn = 0; turn < count; turn++) {
      measured.calls.push(await timeOfCall(start))
      measured.stalls.push(await longestStall(start))
    }
    return measured
  },

  /**
   * One command that writes the time at which its main began. `call`: milliseconds until the call has returned;
   * `main`: from before the call.
   *
   * @param {{ by: string, file: string, stamps: string }} details
   */
  async one({ by, file, stamps }) {
    const start = starterOf(by)
    const seen = existsSync(stamps) ? readFileSync(stamps, 'utf8').length : 0
    const before = now()
    const { ended } = start(file, [stamps], 'ignore')
    const call = now() - before
    await ended()
    const stamp = Number(readFileSync(stamps, 'utf8').slice(seen)) / 1e6
    return { call, main: stamp - before }
  },

  /**
   * Commands a second, `width` at a time, each waited for.
   *
   * @param {{ by: string, file: string, count: number, width: number }} details
   */
  async rate({ by, file, count, width }) {
    const start = starterOf(by)
    let begun = 0
    const line = async () => {
      while (begun < count) {
        begun += 1
        await start(file, [], 'ignore').ended()
      }
    }
    const before = now()
    await Promise.all(Array.from({ length: width }, line))
    return { rate: (count / (now() - before)) * 1000 }
  },
})

/** @typedef {() => import('./starters.mjs').Started} Start */

/** @param {string} name */
function starterOf(name) {
  const starter = starters[name]
  if (starter === undefined) throw new Error(`nothing is started by ${name}`)
  return starter
}

/**
 * Milliseconds until the call returns.
 *
 * @param {Start} start
 */
async function timeOfCall(start) {
  const before = performance.now()
  const { ended } = start()
  const elapsed = performance.now() - before
  await ended()
  return elapsed
}

/**
 * Milliseconds of the longest turn of the event loop until the command has started.
 *
 * @param {Start} start
 */
async function longestStall(start) {
  const ticker = startTicker()
  await ticker.tick()
  const { started, ended } = start()
  await started
  await ticker.tick()
  const longest = ticker.stop()
  await ended()
  return longest
}

/** Ticks once in every turn of the event loop and keeps the longest gap. */
function startTicker() {
  let last = performance.now()
  let longest = 0
  let running = true
  /** @type {(() => void)[]} */
  let waiting = []
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    const resolvers = waiting
    waiting = []
    for (const resolve of resolvers) resolve()
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    /** @returns {Promise<void>} */
    tick: () => new Promise((resolve) => waiting.push(resolve)),
    stop() {
      running = false
      return longest
    },
  }
}
