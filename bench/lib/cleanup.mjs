// Whatever way a benchmark ends, what it started ends with it: everything carries a mark in its environment.

import { randomUUID } from 'node:crypto'
import { constants } from 'node:os'
import { pidsWithMark } from './proc.mjs'

const name = 'PROCLEASH_BENCH'
const value = randomUUID()
/** @type {Set<() => void>} */
const tasks = new Set()

/** Environment for all that a benchmark starts. */
export const markedEnvironment = { ...process.env, [name]: value }

/** On every end of this program but SIGKILL; what is started lives for a minute at most. */
export function cleanUpAtExit() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
  process.once('exit', () => {
    endMarked()
    for (const task of tasks) task()
  })
}

/**
 * For what is no process. Synchronous; runs when all processes have ended. Answers how to take it back.
 *
 * @param {() => void} task
 */
export function atExit(task) {
  tasks.add(task)
  return () => tasks.delete(task)
}

/** All that carries the mark. In rounds, for one second at most: a process may fork while we look. */
export function endMarked() {
  for (let round = 0; round < 100; round++) {
    const pids = pidsWithMark(`${name}=${value}`)
    if (pids.length === 0) return
    for (const pid of pids) kill(pid)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  }
}

/** @param {number} pid Found by its mark just now. */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Ended since.
  }
}
