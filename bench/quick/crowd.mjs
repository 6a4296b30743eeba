// A thousand processes that ignore SIGTERM, half of them in sessions of their own: empty within the budget, each time.

import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { startHost } from '../lib/host.mjs'
import { compiled } from '../lib/native.mjs'
import { treeOf } from '../lib/proc.mjs'
import { printTable } from '../lib/report.mjs'
import { median, p95 } from '../lib/statistics.mjs'
import { startWatcher } from '../lib/watcher.mjs'

const SIZE = 1000
const STOPS = 100
const BUDGET = 500

/** @param {import('../quick.mjs').Setting} setting */
export async function benchCrowd({ main }) {
  const crowd = compiled('fixtures/crowd.c')
  const host = startHost(main, 'tree-host.mjs')
  const watcher = startWatcher()
  const seen = []
  const settled = []
  let good = 0
  let left = 0
  for (let stop = 0; stop < STOPS; stop++) {
    const { pid } = await host.ask('startReady', { file: crowd, args: [String(SIZE)] })
    const pids = treeOf(pid)
    if (pids.length !== SIZE) throw new Error(`a crowd of ${pids.length}, not ${SIZE}`)
    await watcher.watch(pids)
    const [end, { time, settlement }] = await Promise.all([watcher.ends(), host.ask('stop')])
    const elapsed = end.at - time
    const remaining = countOf(crowd)
    seen.push(elapsed)
    settled.push(settlement.elapsed)
    left += remaining
    const empty = settlement.outcome === 'empty' && remaining === 0 && end.left === 0
    if (empty && elapsed <= BUDGET && settlement.elapsed <= BUDGET) good += 1
  }
  await Promise.all([host.end(), watcher.end()])
  printTable(
    `stop of ${SIZE} processes that ignore SIGTERM, half of them setsid: ms of ${BUDGET}, ${main.name}`,
    ['seen by', 'median', 'p95', 'max', 'left', 'empty in time'],
    [
      {
        cells: ['/proc and pidfds', ...figures(seen), String(left), `${good} of ${STOPS}`],
        target: `${STOPS} of ${STOPS}`,
        met: good === STOPS,
      },
      { cells: ['settlement', ...figures(settled), '', ''] },
    ],
  )
}

/** @param {readonly number[]} times */
function figures(times) {
  return [median(times), p95(times), Math.max(...times)].map((value) => value.toFixed(1))
}

/**
 * Processes that run this file, whoever their parent is.
 *
 * @param {string} file
 */
function countOf(file) {
  return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && executableOf(entry) === file).length
}

/** @param {string} pid A zombie has no executable any more. */
function executableOf(pid) {
  const link = `/proc/${pid}/exe`
  try {
    return existsSync(link) ? readlinkSync(link) : ''
  } catch {
    return ''
  }
}
