// Starts a host program of hosts/ in one of the runtimes and asks it for work, in JSON.

import { fileURLToPath } from 'node:url'
import { startProgram } from './lines.mjs'

/** @typedef {import('../../scripts/runtimes.mjs').Runtime} Runtime */
/** @typedef {ReturnType<typeof startHost>} Host */

/** How often the clocks are compared; the quickest exchange counts. */
const COMPARISONS = 50

/** Without this, Deno does not take packages from node_modules once it is told to read no configuration. */
const DENO_ARGS = ['--node-modules-dir=manual']

/**
 * @param {Runtime} runtime
 * @param {string} file In hosts/.
 * @param {readonly string[]} [more] Arguments of the runtime.
 */
export function startHost({ name, command, args }, file, more = []) {
  const path = fileURLToPath(new URL(`../hosts/${file}`, import.meta.url))
  const own = name === 'deno' ? DENO_ARGS : []
  const program = startProgram(command, [...args, ...own, ...more, path])
  return {
    pid: program.pid,
    kill: program.kill,
    /**
     * @param {string} task
     * @param {object} [details]
     */
    ask: async (task, details) => JSON.parse(await program.ask(JSON.stringify({ task, ...details }))),
    end: program.end,
  }
}

/**
 * Milliseconds to add to the host's `process.hrtime` for CLOCK_MONOTONIC: 0 in Node, where they are the same clock;
 * Bun and Deno count from their start. Our own hrtime is the reference, for we run in Node.
 *
 * @param {Host} host
 */
export async function clockOffset(host) {
  let offset = 0
  let quickest = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < COMPARISONS; turn++) {
    const before = monotonicNow()
    const { time } = await host.ask('clock')
    const exchange = monotonicNow() - before
    if (exchange >= quickest) continue
    quickest = exchange
    offset = before + exchange / 2 - time
  }
  // Less than the exchange itself took: it can't be told from the same clock.
  return Math.abs(offset) < quickest ? 0 : offset
}

/** Milliseconds; a double holds a year of them to less than a microsecond. */
function monotonicNow() {
  return Number(process.hrtime.bigint()) / 1e6
}
