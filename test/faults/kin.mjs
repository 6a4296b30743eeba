// The family of a host, by the kernel's own lists (/proc/PID/task/TID/children), which cost what the family costs: a
// fault run looks some thousand times, and /proc may be long.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, isSupervisor, SPARE_KEEPER, see } from '../chaos/look.mjs'
import { untilNone } from './wait.mjs'

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
  const supervisor = childrenOf(host).find(isSupervisor)
  if (supervisor === undefined) return undefined
  return { supervisor, keepers: childrenOf(supervisor.pid).filter(({ state }) => state !== 'Z') }
}

/**
 * What a living host that has nothing to do has beside its one supervisor: zombies, keepers, commands.
 * By lists of children, which cost little: what is nobody's child any more is looked for when the host has ended.
 *
 * @param {number} host
 */
export async function strayOf(host) {
  const left = await untilNone(() => kinOf(host).filter(({ pid }) => pid !== helpersOf(host)?.supervisor.pid))
  return left.length === 0 ? [] : [`beside the supervisor: ${left.map(describe).join('; ')}`]
}

/** @param {number} host */
export function kinOf(host) {
  const below = childrenOf(host)
  return [...below, ...below.flatMap(({ pid }) => childrenOf(pid))].filter(
    ({ comm }) => comm !== SPARE_KEEPER,
  )
}

/** Those that wait for a command too. @param {number} host */
export function hasKeepers(host) {
  return childrenOf(helpersOf(host)?.supervisor.pid ?? 0).length > 0
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
