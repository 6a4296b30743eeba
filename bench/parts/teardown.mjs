// Teardown: from the stop until the whole tree is gone, seen from outside, and what is left of it.

import { fieldOf } from '../lib/field.mjs'
import { median } from '../lib/statistics.mjs'
import { settle, withTree } from '../lib/trees.mjs'
import { startWatcher } from '../lib/watcher.mjs'

/** @typedef {import('../lib/trees.mjs').Tree} Tree */

export const PEERS = [
  'procleash',
  'cgroup.kill',
  'procleash-cgroup',
  'procleash-stoptree',
  'process.kill',
  'child.kill',
  'tree-kill',
  'execa',
  'execa-descendants',
  'zx',
  'bun.spawn',
  'bun-no-orphans',
  'deno.command',
]
const PACKAGES = ['tree-kill', 'execa', 'execa-descendants', 'zx']
/** Of the shapes in the other runtimes: a package's way to stop is the same in all of them. */
const FEW = PEERS.filter((name) => !PACKAGES.includes(name))
/** Half of the tree in sessions of its own; obeys SIGTERM. */
const COMMON = 'setsid'
const OTHERS = ['flat', 'chain', 'bushy', 'daemon', 'storm', 'stopped']
/** Samples of a contender that leaves something each time: it waits long, and says nothing new. */
const LEAVES = 5
/** Milliseconds. What a larger tree is expected to take, in proportion, if it is to be tried. */
const TOO_SLOW = 10_000
/** What one process takes says nothing about many. */
const LEAST_SIZE = 100

/** @typedef {{ readonly size: number, readonly time: number }} Pace The slowest so far. */

/**
 * @param {import('./index.mjs').Choice} choice
 * @returns {import('../lib/run.mjs').Group[]}
 */
export function teardown({ main, each, quick }) {
  /** @type {Map<string, Pace>} */
  const paces = new Map()
  const goal = quick ? { rounds: 10, fastRounds: 10 } : { rounds: 30, fastRounds: 100, leaves: LEAVES }
  return each.flatMap((runtime) =>
    treesOf(runtime === main, quick).map(({ seconds, ...tree }) => ({
      part: 'teardown',
      runtime,
      case: tree,
      seconds,
      goal: { metric: 'gone', ...goal },
      open: (hosts) =>
        open(hosts, runtime, runtime === main || tree.shape === COMMON ? PEERS : FEW, tree, paces),
    })),
  )
}

/**
 * @param {boolean} all
 * @param {boolean} quick
 * @returns {readonly (Tree & { seconds: number })[]}
 */
function treesOf(all, quick) {
  if (quick) {
    return all
      ? [tree(COMMON, 1, 3), tree(COMMON, 100, 12), tree(COMMON, 1000, 15), tree('deaf', 100, 20)]
      : [tree(COMMON, 100, 5)]
  }
  const shapes = OTHERS.map((shape) => tree(shape, 100, all ? 25 : 8))
  if (!all) {
    const sizes = [tree(COMMON, 1, 8), tree(COMMON, 10, 15), tree(COMMON, 100, 35), tree(COMMON, 1000, 40)]
    return [...sizes, tree('deaf', 100, 40), ...shapes]
  }
  return [
    tree(COMMON, 1, 12),
    tree(COMMON, 10, 15),
    tree(COMMON, 100, 40),
    tree(COMMON, 1000, 75),
    tree(COMMON, 4000, 120),
    tree('deaf', 100, 90),
    tree('deaf', 1000, 60),
    ...shapes,
  ]
}

/**
 * @param {string} shape
 * @param {number} size
 * @param {number} seconds
 */
function tree(shape, size, seconds) {
  return { shape, size, seconds }
}

/**
 * @param {import('../lib/hosts.mjs').Hosts} hosts
 * @param {import('../../scripts/runtimes.mjs').Runtime} runtime
 * @param {readonly string[]} names
 * @param {Tree} tree
 * @param {Map<string, Pace>} paces
 */
async function open(hosts, runtime, names, tree, paces) {
  const watcher = startWatcher()
  /** @param {string} name */
  const keyOf = (name) => `${runtime.name} ${tree.shape} ${name}`
  /** @type {Map<string, number[]>} */
  const seen = new Map()
  const field = await fieldOf({
    runtime,
    names,
    hosts,
    excused: (name) => excuseOf(paces.get(keyOf(name)), tree),
    async measure(name, host) {
      const sample = await stopOnce({ name, host, watcher, tree })
      seen.set(name, [...(seen.get(name) ?? []), sample.gone ?? sample.said ?? Number.POSITIVE_INFINITY])
      return sample
    },
  })
  return {
    ...field,
    async close() {
      for (const [name, times] of seen) paces.set(keyOf(name), { size: tree.size, time: median(times) })
      await watcher.end()
    },
  }
}

/**
 * @param {Pace | undefined} pace
 * @param {Tree} tree
 */
function excuseOf(pace, tree) {
  if (pace === undefined || pace.size >= tree.size) return undefined
  const expected = (pace.time / pace.size) * tree.size
  if (pace.size < LEAST_SIZE || expected < TOO_SLOW) return undefined
  const what = `${pace.size} processes`
  return Number.isFinite(pace.time)
    ? `takes ${pace.time.toFixed(0)} ms for ${what}`
    : `never says that it is done with ${what}, and leaves some`
}

/**
 * `gone`: milliseconds from the stop to the end of the last process, `null` when some are left; `said`: until the
 * contender said that it was done, `null` when it never did.
 *
 * @param {import('../lib/trees.mjs').TreeRun} about
 */
export function stopOnce(about) {
  const { host, watcher, tree } = about
  return withTree(about, async () => {
    const ends = watcher.ends(patienceFor(tree))
    const { time, elapsed } = await host.ask('stop', { patience: patienceFor(tree) })
    const { at, left } = await settle(watcher, ends, 100 + tree.size / 5)
    return { gone: left === 0 ? at - time : null, said: elapsed ?? null, left }
  })
}

/** Milliseconds; some start a `ps` for each process. @param {Tree} tree */
function patienceFor({ size }) {
  return Math.min(12_000, 2000 + size * 20)
}
