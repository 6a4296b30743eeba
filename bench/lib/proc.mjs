// What the benchmarks read from /proc. Nothing here asks procleash.

import { readdirSync, readFileSync } from 'node:fs'

/** @param {string} path A process may end at any time; then it reads as empty. */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** @param {number} pid */
export function nameOf(pid) {
  return read(`/proc/${pid}/comm`).trimEnd()
}

/**
 * The process and all below it. Complete only while none of them starts or ends others.
 *
 * @param {number} pid
 * @returns {number[]}
 */
export function treeOf(pid) {
  return [pid, ...childrenOf(pid).flatMap(treeOf)]
}

/** @param {number} pid Of a process with one thread. */
export function childrenOf(pid) {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

/** @param {number} pid 0 when it has ended. */
export function parentOf(pid) {
  const stat = read(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
}

/**
 * Pids of the living processes with `NAME=value` in their environment: what we start inherits our mark.
 *
 * @param {string} mark
 */
export function pidsWithMark(mark) {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && read(`/proc/${entry}/environ`).split('\0').includes(mark))
    .map(Number)
}

/**
 * A size of proc_pid_status(5), in kB: `VmRSS`, `VmHWM`.
 *
 * @param {number | 'self'} pid
 * @param {string} field
 */
export function statusKilobytes(pid, field) {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(read(`/proc/${pid}/status`))
  return match === null ? Number.NaN : Number(match[1])
}

/** @param {number} pid */
export function residentKilobytes(pid) {
  return statusKilobytes(pid, 'VmRSS')
}

/**
 * Cpu time of a process, as exact as the scheduler has it, and that of the children that it has waited for, in ticks
 * of 10 ms: proc_pid_schedstat(5), fields 16 and 17 of proc_pid_stat(5).
 *
 * @param {number} pid
 */
export function cpuNanoseconds(pid) {
  const own = Number(read(`/proc/${pid}/schedstat`).split(' ')[0])
  const stat = read(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return own + (Number(fields[13]) + Number(fields[14])) * 1e7
}

/** On the whole system. */
export function processCount() {
  return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)).length
}

/**
 * Polls, because nothing tells of an exec from outside.
 *
 * @template T
 * @param {() => T | undefined} look
 * @param {string} what
 * @returns {Promise<T>}
 */
export async function waitFor(look, what) {
  const deadline = Date.now() + 10_000
  for (;;) {
    const found = look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`waited 10 s in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
