// Interrupt: from `controller.abort()` until the whole tree is gone, in an event loop that is idle, busy or blocked.

import { fieldOf } from '../lib/field.mjs'
import { settle, withTree } from '../lib/trees.mjs'
import { startWatcher } from '../lib/watcher.mjs'
import { PEERS } from './teardown.mjs'

/** @typedef {import('../hosts/loop.mjs').Load} Load */

/** @type {readonly Load[]} */
const LOOPS = ['idle', 'busy', 'blocked']
/** Milliseconds that the loop stays busy or blocked after the abort. */
const BLOCKED = 500
/** Milliseconds from the abort for contenders that act once the loop is free, or escalate. */
const PATIENCE = 1200
/** Where not all are measured. */
const FEW = [
  'procleash',
  'cgroup.kill',
  'process.kill',
  'child.kill',
  'execa-descendants',
  'bun.spawn',
  'deno.command',
]
const TREE = { shape: 'setsid', size: 100 }
/** Needs its escalation, and so a timer. */
const DEAF = { shape: 'deaf', size: 10 }

/**
 * @param {import('./index.mjs').Choice} choice
 * @returns {import('../lib/run.mjs').Group[]}
 */
export function interrupt({ main, each, quick }) {
  const rounds = quick ? 5 : 30
  return each.flatMap((runtime) => {
    if (quick && runtime !== main) return []
    const fullSeconds = runtime === main ? 20 : 10
    const cases = LOOPS.map((loop) => ({ loop, tree: TREE, seconds: quick ? 4 : fullSeconds }))
    if (runtime === main) cases.push({ loop: 'blocked', tree: DEAF, seconds: quick ? 10 : 40 })
    return cases.map(({ loop, tree, seconds }) => ({
      part: 'interrupt',
      runtime,
      case: { loop, ...tree },
      seconds,
      goal: { metric: 'gone', rounds, fastRounds: rounds, leaves: 3 },
      open: (hosts) => open(hosts, runtime, runtime === main ? PEERS : FEW, { loop, tree }),
    }))
  })
}

/**
 * @param {import('../lib/hosts.mjs').Hosts} hosts
 * @param {import('../../scripts/runtimes.mjs').Runtime} runtime
 * @param {readonly string[]} names
 * @param {{ loop: Load, tree: import('../lib/trees.mjs').Tree }} details
 */
async function open(hosts, runtime, names, { loop, tree }) {
  const watcher = startWatcher()
  const field = await fieldOf({
    runtime,
    names,
    hosts,
    measure: (name, host) =>
      withTree({ name, host, watcher, tree }, async () => {
        const ends = watcher.ends()
        const { time } = await host.ask('abort', { loop, millis: BLOCKED })
        const { at, left } = await settle(watcher, ends, PATIENCE)
        return { gone: left === 0 ? at - time : null, left }
      }),
  })
  return { ...field, close: watcher.end }
}
