// What the demo knows from /proc alone. It never asks procleash: this is the witness.

import { readdirSync, readFileSync } from 'node:fs'

/** @typedef {{ readonly pid: number, readonly startTime: number }} ProcessId `startTime` tells a reused pid apart. */

/** @typedef {{ readonly name: string, readonly value: string }} Mark A variable of the environment. */

/**
 * Pids of the living processes that carry a mark in their environment, however far they went: every fork and
 * exec inherits it.
 *
 * @param {Mark} mark
 */
export function pidsWithMark({ name, value }) {
  const mark = `${name}=${value}`
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && read(`/proc/${entry}/environ`).split('\0').includes(mark))
    .map(Number)
}

/**
 * @param {number} pid
 * @returns {ProcessId}
 */
export function identify(pid) {
  return { pid, startTime: stat(pid).startTime }
}

/** @param {ProcessId} process */
export function isAlive({ pid, startTime }) {
  const now = stat(pid)
  return now.startTime === startTime && !'ZX'.includes(now.state)
}

/**
 * proc_pid_stat(5): the name, field 2, is in parentheses and may hold anything; 3 is the state, 22 the start time.
 *
 * @param {number} pid
 */
function stat(pid) {
  const text = read(`/proc/${pid}/stat`)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] || 'X', startTime: Number(fields[19] ?? -1) }
}

/** @param {string} path A process may end at any time; then it reads as empty. */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
