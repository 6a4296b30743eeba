// The witness: what is alive, from /proc alone, by a variable that every fork and exec inherits. It asks no API.

import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const SCANS = 20

/** @typedef {{ readonly pid: number, readonly startTime: string }} Seen */

/**
 * Living processes with this entry in their environment. A zombie has no environment.
 *
 * @param {string} entry `NAME=value`
 * @returns {Seen[]}
 */
export function marked(entry) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).split('\0').includes(entry))
    .map((name) => ({ pid: Number(name), startTime: startTimeOf(Number(name)) }))
    .filter(({ startTime }) => startTime !== '')
}

/**
 * How many are left. A process that forks and exits all the time is missed by most scans and doubled by some: the
 * fewest that any successful scan saw, 0 only when none of twenty saw one.
 *
 * @param {string} entry
 */
export async function countLeft(entry) {
  let fewest = 0
  for (let scan = 0; scan < SCANS; scan += 1) {
    const { length } = marked(entry)
    if (length > 0) fewest = fewest === 0 ? length : Math.min(fewest, length)
    await delay(7)
  }
  return fewest
}

/**
 * SIGKILL by number to all that carry the entry, each looked at again before, until nothing was seen for a while.
 *
 * @param {string} entry
 */
export async function endAll(entry) {
  for (let quiet = 0; quiet < SCANS; quiet += 1) {
    for (const { pid, startTime } of marked(entry)) {
      quiet = 0
      if (startTimeOf(pid) === startTime) killQuietly(pid)
    }
    await delay(2)
  }
}

/**
 * Milliseconds since the epoch at which the process was seen dead, `undefined` after the deadline.
 *
 * @param {number} pid
 * @param {number} deadline
 */
export async function deathOf(pid, deadline) {
  const born = startTimeOf(pid)
  while (Date.now() < deadline) {
    if (startTimeOf(pid) !== born || stateOf(pid) === 'Z') return Date.now()
    await delay(1)
  }
  return undefined
}

/** @param {number} pid */
function killQuietly(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * Fields after the name, which may hold anything, see proc_pid_stat(5): the state is the first, the start time the 20th.
 *
 * @param {number} pid
 */
function fieldsOf(pid) {
  const text = read(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** @param {number} pid */
function stateOf(pid) {
  return fieldsOf(pid)[0] ?? ''
}

/** @param {number} pid */
function startTimeOf(pid) {
  return fieldsOf(pid)[19] ?? ''
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
