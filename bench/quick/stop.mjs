// Stop of a tree that obeys SIGTERM, from the call until the last process has ended: procleash, the kernel's own
// cgroup.kill, and tree-kill, on the same kind of tree, in turn.

import { createCgroup } from '../lib/cgroup.mjs'
import { clockOffset, startHost } from '../lib/host.mjs'
import { nameOf, treeOf, waitFor } from '../lib/proc.mjs'
import { printTable } from '../lib/report.mjs'
import { median, medianRatio, p95 } from '../lib/statistics.mjs'
import { startWatcher } from '../lib/watcher.mjs'

/** @typedef {{ times: number[], left: number }} Series */

const RUNS = 30
const MOST_TIMES_CGROUP = 1.5
/** @type {Record<number, number>} By the size of the tree. */
const LEAST_TIMES_TREE_KILL = { 10: 20, 100: 150 }

/** @param {import('../quick.mjs').Setting} setting */
export async function benchStop({ main }) {
  const cgroup = createCgroup()
  const names = ['procleash', ...('missing' in cgroup ? [] : ['cgroup.kill']), 'tree-kill']
  const host = startHost(main, 'tree-host.mjs')
  const watcher = startWatcher()
  const offset = await clockOffset(host)
  const path = 'missing' in cgroup ? '' : cgroup.path
  const lines = []
  for (const size of [1, 10, 100]) {
    /** @type {Record<string, Series>} */
    const series = Object.fromEntries(names.map((name) => [name, { times: [], left: 0 }]))
    for (let run = -1; run < RUNS; run++) {
      for (const name of rotated(names, run + 1)) {
        const { time, left } = await stopOnce(
          host,
          watcher,
          { contender: name, ...treeOfSize(size), cgroup: path },
          size,
        )
        // The first one warms up.
        if (run >= 0) series[name]?.times.push(time - offset)
        if (series[name]) series[name].left += left
      }
    }
    lines.push(...names.map((name) => line(size, name, series)))
  }
  await Promise.all([host.end(), watcher.end()])
  if ('path' in cgroup) cgroup.remove()
  printTable(
    `stop of a tree that obeys SIGTERM, until empty: ms, ${RUNS} runs, ${main.name}`,
    ['processes', 'by', 'median', 'p95', 'left', 'ratio'],
    lines,
  )
  if ('missing' in cgroup) console.log(`  cgroup.kill: not measured, ${cgroup.missing}`)
}

/**
 * Milliseconds from the host's clock to the watcher's.
 *
 * @param {import('../lib/host.mjs').Host} host
 * @param {import('../lib/watcher.mjs').Watcher} watcher
 * @param {object} tree
 * @param {number} size
 */
async function stopOnce(host, watcher, tree, size) {
  const { pid } = await host.ask('start', tree)
  await watcher.watch(await waitFor(() => complete(pid, size), `a tree of ${size} processes`))
  const [{ at, left }, { time }] = await Promise.all([watcher.ends(), host.ask('stop')])
  return { time: at - time, left }
}

/**
 * A shell with sleeps, half of them in sessions of their own.
 *
 * @param {number} size
 */
function treeOfSize(size) {
  if (size === 1) return { file: 'sleep', args: ['60'] }
  const half = Math.floor((size - 1) / 2)
  const script =
    'for i in $(seq "$0"); do setsid sleep 60 & done; for i in $(seq "$1"); do sleep 60 & done; wait'
  return { file: 'bash', args: ['-c', script, String(half), String(size - 1 - half)] }
}

/**
 * The pids, once all are there and sleep.
 *
 * @param {number} pid
 * @param {number} size
 */
function complete(pid, size) {
  const pids = treeOf(pid)
  const sleeping = pids.filter((each) => nameOf(each) === 'sleep').length
  return pids.length === size && sleeping === (size === 1 ? 1 : size - 1) ? pids : undefined
}

/**
 * @param {number} size
 * @param {string} name
 * @param {Record<string, Series>} series
 * @returns {import('../lib/report.mjs').Line}
 */
function line(size, name, series) {
  const { times, left } = series[name] ?? { times: [], left: 0 }
  const ours = series.procleash?.times ?? []
  const cells = [String(size), name, median(times).toFixed(2), p95(times).toFixed(2), String(left)]
  if (name === 'procleash') return { cells: [...cells, ''], target: 'none left', met: left === 0 }
  if (name === 'cgroup.kill') {
    const ratio = medianRatio(ours, times)
    const target = `<= ${MOST_TIMES_CGROUP}`
    return {
      cells: [...cells, `procleash takes ${ratio.toFixed(2)} times`],
      target,
      met: ratio <= MOST_TIMES_CGROUP,
    }
  }
  const ratio = medianRatio(times, ours)
  const least = LEAST_TIMES_TREE_KILL[size]
  const withRatio = [...cells, `procleash is ${ratio.toFixed(0)} times faster`]
  return least === undefined
    ? { cells: withRatio }
    : { cells: withRatio, target: `>= ${least}`, met: ratio >= least }
}

/**
 * So that none always comes after the same other.
 *
 * @param {readonly string[]} names
 * @param {number} by
 */
function rotated(names, by) {
  const start = by % names.length
  return [...names.slice(start), ...names.slice(0, start)]
}
