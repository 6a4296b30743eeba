// One tree, from its start until nothing is left of it, whatever a contender leaves.

import { setTimeout as delay } from 'node:timers/promises'
import { sharedCgroup } from './cgroup.mjs'
import { compiled } from './native.mjs'
import { temporaryPath } from './temporary.mjs'

/** @typedef {import('./watcher.mjs').Watcher} Watcher */
/** @typedef {import('./host.mjs').Host} Host */
/** @typedef {{ readonly shape: string, readonly size: number }} Tree */
/** @typedef {{ readonly at: number, readonly left: number }} Ends */

/** Milliseconds from SIGTERM to SIGKILL for contenders that are told: they too have to be done within 500. */
const GRACE = 400

/**
 * @typedef {object} TreeRun
 * @property {string} name Of the contender.
 * @property {Host} host
 * @property {Watcher} watcher
 * @property {Tree} tree
 */

/**
 * @template Result
 * @param {TreeRun} about
 * @param {() => Promise<Result>} work While the tree stands.
 * @returns {Promise<Result>}
 */
export async function withTree({ name, host, watcher, tree: { shape, size } }, work) {
  const fifo = temporaryPath('tree')
  await watcher.open(fifo)
  try {
    const cgroup = sharedCgroup()
    await host.ask('start', {
      contender: name,
      file: compiled('fixtures/tree.c'),
      args: [shape, String(size), fifo],
      options: { grace: GRACE, ...('path' in cgroup && { cgroup: cgroup.path }) },
    })
    await watcher.gather(size)
    return await work()
  } finally {
    await watcher.kill()
    await watcher.close()
  }
}

/**
 * How many are left, once the contender has had its time.
 *
 * @param {Watcher} watcher
 * @param {Promise<Ends>} ends
 * @param {number} grace Milliseconds from now.
 */
export async function settle(watcher, ends, grace) {
  const clock = new AbortController()
  await Promise.race([ends, delay(grace, undefined, { signal: clock.signal }).catch(() => {})])
  clock.abort()
  watcher.enough()
  const { at, left } = await ends
  // The witness knows that somebody is left, /proc knows how many: those that have forked since are not watched.
  return { at, left: left === 0 ? 0 : Math.max(1, await watcher.left()) }
}
