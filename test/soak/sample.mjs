// What a soak run measures, from outside the host: /proc, and nothing that the product says.

import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { statusKilobytes } from '../../bench/lib/proc.mjs'
import { descendantsOf, helpersOf, see } from '../chaos/look.mjs'

/** Milliseconds for the closing of what is not needed any more. */
const CLOSING = 500
/** Milliseconds: USER_HZ is 100 wherever Linux runs today. */
const TICK = 10
const fields = /** @type {const} */ (['descriptors', 'threads', 'supervisorDescriptors', 'keeperDescriptors'])

/**
 * @typedef {{ host: number, supervisor: number, keeper: number, resident: number }} Members Pids of those that live as
 *   long as the run.
 *
 * @typedef {object} Work While the host works. Memory in KiB, times in milliseconds.
 * @property {number} at Milliseconds since the begin.
 * @property {number} rss Of the host.
 * @property {number} heap Bytes in its JavaScript heap, as it says itself.
 * @property {number} descriptors
 * @property {number} threads
 * @property {number} processes Below the host, helpers included.
 * @property {number} keepers
 * @property {number} helperRss Of supervisor and keepers together; pages that they share count more than once.
 * @property {{ median: number, high: number, most: number }} delay Of the event loop, in this second.
 *
 * @typedef {object} Rest What is there when nothing but the resident server runs. Memory in KiB: pages of its own, swapped ones too.
 * @property {number} at
 * @property {number} hostMemory After a garbage collection.
 * @property {number} heap Bytes, after it.
 * @property {number} descriptors
 * @property {number} threads
 * @property {number} supervisorMemory
 * @property {number} supervisorDescriptors
 * @property {number} keeperMemory Of the resident server's keeper.
 * @property {number} keeperDescriptors
 */

/**
 * @param {number} host
 * @returns {Omit<Work, 'at' | 'heap' | 'delay'>}
 */
export function sampleWork(host) {
  const below = descendantsOf(host)
  const supervisor = below.find(({ ppid, comm }) => ppid === host && comm === 'procleash-super')
  const helpers = supervisor === undefined ? [] : below.filter(({ ppid }) => ppid === supervisor.pid)
  const all = supervisor === undefined ? [] : [supervisor, ...helpers]
  return {
    rss: statusKilobytes(host, 'VmRSS'),
    descriptors: countOf(`/proc/${host}/fd`),
    threads: countOf(`/proc/${host}/task`),
    processes: below.length,
    keepers: helpers.length,
    // One may end while it is looked at.
    helperRss: all
      .map(({ pid }) => statusKilobytes(pid, 'VmRSS') || 0)
      .reduce((sum, value) => sum + value, 0),
  }
}

/**
 * What a rest may have no more of than any before.
 *
 * @typedef {Pick<Rest, 'descriptors' | 'threads' | 'supervisorDescriptors' | 'keeperDescriptors'>} Counts
 * @param {Members} members
 * @returns {Counts}
 */
function countAll({ host, supervisor, keeper }) {
  return {
    descriptors: countOf(`/proc/${host}/fd`),
    threads: countOf(`/proc/${host}/task`),
    supervisorDescriptors: countOf(`/proc/${supervisor}/fd`),
    keeperDescriptors: countOf(`/proc/${keeper}/fd`),
  }
}

/**
 * The fewest of some looks: a thread may have something open at any moment, and closes what has ended a little later.
 *
 * @param {Members} members
 * @param {Counts | undefined} known The fewest so far: with as few there is nothing to wait for.
 * @returns {Promise<Counts>}
 */
export async function fewest(members, known) {
  const end = performance.now() + CLOSING
  let least = countAll(members)
  while (!isAsFew(least, known) && performance.now() < end) {
    await pause(20)
    least = leastOf(least, countAll(members))
  }
  return least
}

/** @param {Counts} one @param {Counts | undefined} other */
function isAsFew(one, other) {
  return other !== undefined && fields.every((field) => one[field] <= other[field])
}

/**
 * @param {Counts} one
 * @param {Counts | undefined} other
 * @returns {Counts}
 */
export function leastOf(one, other) {
  const least = { ...one }
  for (const field of fields) least[field] = Math.min(one[field], other?.[field] ?? one[field])
  return least
}

/**
 * Processor time of the host, its supervisor and all that they have waited for, in milliseconds.
 *
 * @param {number} host
 */
export function cpuTime(host) {
  const supervisor = helpersOf(host)?.supervisor
  return (
    [see(host), supervisor].reduce((sum, seen) => sum + (seen === undefined ? 0 : ticksOf(seen)), 0) * TICK
  )
}

/**
 * Of all threads, and of children that were waited for: fields 14 to 17 of proc_pid_stat(5).
 *
 * @param {import('../chaos/look.mjs').Seen} seen
 */
function ticksOf({ text }) {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

/**
 * Pages that no file stands behind, exactly: VmRSS of proc_pid_status(5) may be off by some hundred KiB.
 *
 * @param {number} pid
 * @returns {number} KiB
 */
export function ownMemory(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
  const size = (/** @type {string} */ field) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1])
  return size('Anonymous') + size('Swap')
}

/** @param {string} folder */
function countOf(folder) {
  try {
    return readdirSync(folder).length
  } catch {
    // It has ended.
    return 0
  }
}
