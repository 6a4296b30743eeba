// Children by the kernel's own lists (/proc/PID/task/TID/children), which cost what the family costs: a fault run looks
// some thousand times, and /proc may be long.

import { readdirSync, readFileSync } from 'node:fs'
import { see } from '../chaos/look.mjs'

/** @param {number} parent */
export function childrenOf(parent) {
  return tasksOf(parent)
    .flatMap((task) => listOf(`/proc/${parent}/task/${task}/children`))
    .map(see)
    .filter((seen) => seen !== undefined)
}

/**
 * The supervisor of a host and its keepers.
 *
 * @param {number} host
 */
export function helpersOf(host) {
  const supervisor = childrenOf(host).find(({ comm, state }) => comm === 'procleash-super' && state !== 'Z')
  if (supervisor === undefined) return undefined
  return { supervisor, keepers: childrenOf(supervisor.pid).filter(({ state }) => state !== 'Z') }
}

/** @param {number} pid */
function tasksOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** @param {string} path */
function listOf(path) {
  try {
    return readFileSync(path, 'latin1').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
