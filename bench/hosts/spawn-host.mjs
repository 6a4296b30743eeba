// How long starting a command blocks the event loop: by procleash, or by this runtime's child_process.

import { spawn as spawnChild } from 'node:child_process'
import { once } from 'node:events'
import { spawn } from '../../dist/src/index.js'
import { serve } from './serve.mjs'

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
    const start = by === 'procleash' ? startOurs : startTheirs
    /** @type {{ calls: number[], stalls: number[] }} */
    const measured = { calls: [], stalls: [] }
    for (let turn = 0; turn < count; turn++) {
      measured.calls.push(await timeOfCall(start))
      measured.stalls.push(await longestStall(start))
    }
    return measured
  },
})

/** @typedef {() => { started: Promise<unknown>, ended: () => Promise<unknown> }} Start */

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

function startOurs() {
  const started = spawn('true')
  return { started, ended: async () => (await started).settled }
}

function startTheirs() {
  const child = spawnChild('true', { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  return { started: once(child, 'spawn'), ended: () => closed }
}
