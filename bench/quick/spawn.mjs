// How long spawn() blocks the event loop, in a small host and in one with 2 GB of touched memory, with the same
// runtime's child_process beside it.

import { freemem } from 'node:os'
import { startHost } from '../lib/host.mjs'
import { printTable } from '../lib/report.mjs'
import { median } from '../lib/statistics.mjs'

/** @typedef {import('../../scripts/runtimes.mjs').Runtime} Runtime */
/** @typedef {import('../lib/host.mjs').Host} Host */
/** @typedef {{ calls: number[], stalls: number[] }} Blocked Milliseconds. */

/** So many that a runtime has compiled what it calls. A fork of a large host takes long, and has little to compile. */
const WARM_UP = { procleash: 300, child_process: 30 }
/** Few and long: the first calls after a pause find cold caches, and cost two to three times as much. */
const ROUNDS = 3
/** A fork of a host with 2 GB takes long, and varies little. */
const A_ROUND = { procleash: 40, child_process: 10 }
const HEAP = 2 * 2 ** 30
const MOST_MICROSECONDS = 100
const MOST_TIMES_WITH_HEAP = 1.3

/** @param {import('../quick.mjs').Setting} setting */
export async function benchSpawn({ each }) {
  const lines = []
  for (const runtime of each) lines.push(...(await benchRuntime(runtime)))
  printTable(
    `event loop blocked by spawn(): us, medians of ${ROUNDS * A_ROUND.procleash}, in turn`,
    ['host', 'heap', 'by', 'call', 'longest stall', '2 GB / small'],
    lines,
  )
}

/**
 * Four hosts in turn. One for each way of starting: after a fork, the next write to each page of the host is a fault,
 * so that child_process would slow down whatever comes after it in the same process.
 *
 * @param {Runtime} runtime
 */
async function benchRuntime(runtime) {
  const heaps = freemem() > HEAP * 2.5 ? [0, HEAP] : [0]
  const series = await Promise.all(
    heaps.flatMap((bytes) => [
      startSeries(runtime, 'procleash', bytes),
      startSeries(runtime, 'child_process', bytes),
    ]),
  )
  for (let round = 0; round < ROUNDS; round++) {
    for (const { host, by, blocked } of series) {
      /** @type {Blocked} */
      const { calls, stalls } = await host.ask('measure', { by, count: A_ROUND[by] })
      blocked.calls.push(...calls)
      blocked.stalls.push(...stalls)
    }
  }
  await Promise.all(series.map(({ host }) => host.end()))
  const [ours, theirs, oursLarge, theirsLarge] = series.map(({ blocked }) => blocked)
  if (ours === undefined || theirs === undefined) return []
  const lines = linesOf(runtime.name, 'small', ours, theirs)
  if (oursLarge === undefined || theirsLarge === undefined) {
    return [...lines, { cells: [runtime.name, '2 GB', 'not enough free memory'] }]
  }
  const ratios = [times(oursLarge, ours), times(theirsLarge, theirs)]
  return [...lines, ...linesOf(runtime.name, '2 GB', oursLarge, theirsLarge, ratios)]
}

/**
 * @param {Runtime} runtime
 * @param {keyof typeof A_ROUND} by
 * @param {number} bytes
 * @returns {Promise<{ host: Host, by: keyof typeof A_ROUND, blocked: Blocked }>}
 */
async function startSeries(runtime, by, bytes) {
  const host = startHost(runtime, 'spawn-host.mjs')
  await host.ask('fill', { bytes })
  await host.ask('measure', { by, count: WARM_UP[by] })
  return { host, by, blocked: { calls: [], stalls: [] } }
}

/**
 * @param {string} name
 * @param {string} heap
 * @param {Blocked} ours
 * @param {Blocked} theirs
 * @param {readonly number[]} [ratios]
 * @returns {import('../lib/report.mjs').Line[]}
 */
function linesOf(name, heap, ours, theirs, [ratio, theirRatio] = []) {
  const call = microseconds(ours.calls)
  return [
    {
      cells: [name, heap, 'procleash', ...figures(ours), ratio?.toFixed(2) ?? ''],
      target: `<= ${MOST_MICROSECONDS} us${ratio === undefined ? '' : `, <= ${MOST_TIMES_WITH_HEAP}`}`,
      met: call <= MOST_MICROSECONDS && (ratio ?? 1) <= MOST_TIMES_WITH_HEAP,
    },
    { cells: [name, heap, 'child_process', ...figures(theirs), theirRatio?.toFixed(2) ?? ''] },
  ]
}

/**
 * @param {Blocked} above
 * @param {Blocked} below
 */
function times(above, below) {
  return microseconds(above.calls) / microseconds(below.calls)
}

/** @param {Blocked} blocked */
function figures({ calls, stalls }) {
  return [microseconds(calls).toFixed(0), microseconds(stalls).toFixed(0)]
}

/** @param {readonly number[]} milliseconds */
function microseconds(milliseconds) {
  return median(milliseconds) * 1000
}
