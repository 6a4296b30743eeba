// Stop of a tree that obeys SIGTERM, from the call until the last process has ended: procleash, the kernel's own
// cgroup.kill, and tree-kill, on the same kind of tree, in turn.

import { createCgroup } from '../lib/cgroup.mjs'
import { startHost } from '../lib/host.mjs'
import { compiled } from '../lib/native.mjs'
import { nameOf, treeOf, waitFor } from '../lib/proc.mjs'
import { printTable } from '../lib/report.mjs'
import { median, medianRatio, p95 } from '../lib/statistics.mjs'
import { startWatcher } from '../lib/watcher.mjs'

/** @typedef {{ times: number[], left: number }} Series */
/** @typedef {'shell' | 'small'} Kind A shell with `sleep`s, or forks of one small C program. */

const RUNS = 30
const MOST_TIMES_CGROUP = 1.5
/** @type {readonly { readonly kind: Kind, readonly size: number }[]} */
const TREES = [
  { kind: 'shell', size: 1 },
  { kind: 'shell', size: 10 },
  { kind: 'shell', size: 100 },
  { kind: 'small', size: 10 },
  { kind: 'small', size: 100 },
]
/** @type {Record<number, number>} By the size of the tree. */
const LEAST_TIMES_TREE_KILL = { 10: 20, 100: 150 }

/** @param {import('../quick.mjs').Setting} setting */
export async function benchStop({ main }) {
  const cgroup = createCgroup()
  const names = ['procleash', ...('missing' in cgroup ? [] : ['cgroup.kill']), 'tree-kill']
  const host = startHost(main, 'tree-host.mjs')
  const watcher = startWatcher()
  const path = 'missing' in cgroup ? '' : cgroup.path
  const lines = []
  for (const { kind, size } of TREES) {
    /** @type {Record<string, Series>} */
    const series = Object.fromEntries(names.map((name) => [name, { times: [], left: 0 }]))
    for (let run = -1; run < RUNS; run++) {
      for (const name of rotated(names, run + 1)) {
        const { time, left } = await stopOnce(
          host,
          watcher,
          { contender: name, ...treeOfSize(kind, size), options: { cgroup: path } },
          { kind, size },
        )
        // The first one warms up.
        if (run >= 0) series[name]?.times.push(time)
        if (series[name]) series[name].left += left
      }
    }
    lines.push(...names.map((name) => line(kind, size, name, series)))
  }
  await Promise.all([host.end(), watcher.end()])
  if ('path' in cgroup) cgroup.remove()
  printTable(
    `stop of a tree that obeys SIGTERM, until empty: ms, ${RUNS} runs, ${main.name}`,
    ['tree', 'processes', 'by', 'median', 'p95', 'left', 'ratio'],
    lines,
  )
  if ('missing' in cgroup) console.log(`  cgroup.kill: not measured, ${cgroup.missing}`)
}

/**
 * @param {import('../lib/host.mjs').Host} host
 * @param {import('../lib/watcher.mjs').Watcher} watcher
 * @param {object} tree
 * @param {{ readonly kind: Kind, readonly size: number }} shape
 */
async function stopOnce(host, watcher, tree, { kind, size }) {
  const { pid } = await host.ask('start', tree)
  await watcher.watch(await waitFor(() => complete(pid, kind, size), `a tree of ${size} processes`))
  const [{ at, left }, { time }] = await Promise.all([watcher.ends(), host.ask('stop')])
  return { time: at - time, left }
}

/**
 * Half of them in sessions of their own.
 *
 * @param {Kind} kind
 * @param {number} size
 */
function treeOfSize(kind, size) {
  if (kind === 'small') return { file: compiled('fixtures/crowd.c'), args: [String(size), 'obedient'] }
  if (size === 1) return { file: 'sleep', args: ['60'] }
  const half = Math.floor((size - 1) / 2)
  const script =
    'for i in $(seq "$0"); do setsid sleep 60 & done; for i in $(seq "$1"); do sleep 60 & done; wait'
  return { file: 'bash', args: ['-c', script, String(half), String(size - 1 - half)] }
}

/**
 * The pids, once all are there and are what they are meant to be.
 *
 * @param {number} pid
 * @param {Kind} kind
 * @param {number} size
 */
function complete(pid, kind, size) {
  const pids = treeOf(pid)
  const settled = pids.filter((each) => nameOf(each) === (kind === 'small' ? 'crowd' : 'sleep')).length
  const shells = kind === 'shell' && size > 1 ? 1 : 0
  return pids.length === size && settled === size - shells ? pids : undefined
}

/**
 * @param {Kind} kind
 * @param {number} size
 * @param {string} name
 * @param {Record<string, Series>} series
 * @returns {import('../lib/report.mjs').Line}
 */
function line(kind, size, name, series) {
  const { times, left } = series[name] ?? { times: [], left: 0 }
  const ours = series.procleash?.times ?? []
  const cells = [kind, String(size), name, median(times).toFixed(2), p95(times).toFixed(2), String(left)]
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
