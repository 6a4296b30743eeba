// Host death: from SIGKILL to the host until the whole tree is gone, and what is left of it two seconds later.

import { contenders } from '../contenders/index.mjs'
import { isOf, missingIn, TREE_HOST } from '../lib/field.mjs'
import { startHost } from '../lib/host.mjs'
import { settle, withTree } from '../lib/trees.mjs'
import { startWatcher } from '../lib/watcher.mjs'

/** @typedef {import('../../scripts/runtimes.mjs').Runtime} Runtime */

/** Milliseconds. */
const PATIENCE = 2000
/** Those that do something about it, one after the other: their times count. */
const ACTIVE = ['procleash', 'procleash-cgroup', 'bun-no-orphans']
/** All of these at once: they leave everything. */
const PASSIVE = [
  'procleash-stoptree',
  'process.kill',
  'child.kill',
  'tree-kill',
  'execa',
  'execa-descendants',
  'zx',
  'bun.spawn',
  'deno.command',
]

/**
 * @param {import('./index.mjs').Choice} choice
 * @returns {import('../lib/run.mjs').Group[]}
 */
export function hostDeath({ main, each, quick }) {
  return each.flatMap((runtime) =>
    casesOf(runtime === main, quick).flatMap(({ shape, size, seconds }) => {
      const group = { part: 'host-death', runtime, case: { shape, size } }
      const rounds = quick ? 5 : 30
      return [
        {
          ...group,
          seconds,
          goal: { metric: 'gone', rounds, fastRounds: rounds },
          open: () => openActive(runtime, { shape, size }),
        },
        // One round of ten at most: what a passive one leaves does not vary.
        {
          ...group,
          seconds: 4,
          cold: true,
          goal: { metric: 'left', rounds: quick ? 1 : 3, fastRounds: quick ? 1 : 3 },
          open: () => openPassive(runtime, { shape, size }),
        },
      ]
    }),
  )
}

/**
 * @param {boolean} all
 * @param {boolean} quick
 */
function casesOf(all, quick) {
  if (quick) return all ? [{ shape: 'deaf', size: 100, seconds: 5 }] : []
  const deaf = { shape: 'deaf', size: 100, seconds: all ? 30 : 18 }
  if (!all) return [{ shape: 'setsid', size: 100, seconds: 8 }, deaf]
  return [
    ...[1, 10, 100].map((size) => ({ shape: 'setsid', size, seconds: 12 })),
    { shape: 'setsid', size: 1000, seconds: 20 },
    deaf,
    { shape: 'deaf', size: 1000, seconds: 30 },
  ]
}

/**
 * @param {Runtime} runtime
 * @param {import('../lib/trees.mjs').Tree} tree
 */
async function openActive(runtime, tree) {
  const watcher = startWatcher()
  const { present, absent } = await sortOut(runtime, ACTIVE)
  return {
    absent,
    entrants: present.map((name) => ({ name, measure: () => killOnce(runtime, watcher, tree, name) })),
    close: watcher.end,
  }
}

/**
 * Each has a witness of its own. The first one's turn starts all; the others wait for theirs.
 *
 * @param {Runtime} runtime
 * @param {import('../lib/trees.mjs').Tree} tree
 */
async function openPassive(runtime, tree) {
  const { present, absent } = await sortOut(runtime, PASSIVE)
  const watchers = new Map(present.map((name) => [name, startWatcher()]))
  /** @type {Map<string, Promise<import('../lib/turns.mjs').Sample>>} */
  const running = new Map()
  /** @param {string} name */
  const take = async (name) => {
    if (!running.has(name)) {
      for (const [other, watcher] of watchers) {
        if (running.has(other)) continue
        const run = killOnce(runtime, watcher, tree, other)
        run.catch(() => {})
        running.set(other, run)
      }
    }
    const run = running.get(name)
    running.delete(name)
    return run ?? {}
  }
  return {
    absent,
    entrants: present.map((name) => ({ name, measure: () => take(name) })),
    async close() {
      await Promise.allSettled(running.values())
      await Promise.all([...watchers.values()].map((watcher) => watcher.end()))
    },
  }
}

/**
 * @param {Runtime} runtime
 * @param {readonly string[]} names
 */
async function sortOut(runtime, names) {
  const present = []
  const absent = []
  const host = startHost(runtime, TREE_HOST)
  for (const name of names) {
    if (!isOf(runtime, name)) continue
    const reason = await missingIn(host, name)
    if (reason === undefined) present.push(name)
    else absent.push({ name, reason })
  }
  await host.end()
  return { present, absent }
}

/**
 * @param {Runtime} runtime
 * @param {import('../lib/watcher.mjs').Watcher} watcher
 * @param {import('../lib/trees.mjs').Tree} tree
 * @param {string} name
 */
async function killOnce(runtime, watcher, tree, name) {
  const host = startHost(runtime, TREE_HOST, contenders[name]?.hostArgs)
  try {
    return await withTree({ name, host, watcher, tree }, async () => {
      const ends = watcher.ends()
      const time = Number(process.hrtime.bigint()) / 1e6
      host.kill()
      const { at, left } = await settle(watcher, ends, PATIENCE)
      return { gone: left === 0 ? at - time : null, left }
    })
  } finally {
    await host.end()
  }
}
