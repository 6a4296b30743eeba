// Who takes part in a case: those contenders that this runtime has, and the reason for each that is absent.

import { contenders } from '../contenders/index.mjs'
import { sharedCgroup } from './cgroup.mjs'

/** @typedef {import('../../scripts/runtimes.mjs').Runtime} Runtime */
/** @typedef {import('./host.mjs').Host} Host */
/** @typedef {{ readonly name: string, readonly measure: () => Promise<import('./turns.mjs').Sample> }} Entrant */
/** @typedef {{ readonly name: string, readonly reason: string }} Absent */
/** @typedef {{ readonly entrants: readonly Entrant[], readonly absent: readonly Absent[] }} Field */

export const TREE_HOST = 'tree-host.mjs'

/**
 * @param {object} about
 * @param {Runtime} about.runtime
 * @param {readonly string[]} about.names
 * @param {import('./hosts.mjs').Hosts} about.hosts
 * @param {(name: string, host: Host) => Promise<import('./turns.mjs').Sample>} about.measure
 * @param {(name: string) => string | undefined} [about.excused] Why a contender is left out here.
 * @returns {Promise<Field>}
 */
export async function fieldOf({ runtime, names, hosts, measure, excused }) {
  /** @type {Entrant[]} */
  const entrants = []
  /** @type {Absent[]} */
  const absent = []
  for (const name of names) {
    if (!isOf(runtime, name) || !hosts.takes(name)) continue
    const host = hosts.get(runtime, TREE_HOST, name)
    const reason = excused?.(name) ?? (await missingIn(host, name))
    if (reason === undefined) entrants.push({ name, measure: measured(name) })
    else absent.push({ name, reason })
  }
  return { entrants, absent }

  /** @param {string} name */
  function measured(name) {
    return async () => {
      try {
        return await measure(name, hosts.get(runtime, TREE_HOST, name))
      } catch (error) {
        // Whatever it was, the next one starts anew.
        await hosts.drop(runtime, TREE_HOST, name)
        throw error
      }
    }
  }
}

/**
 * @param {Runtime} runtime
 * @param {string} name
 */
export function isOf(runtime, name) {
  return contenders[name]?.runtimes?.includes(runtime.name) ?? true
}

/**
 * @param {Host} host
 * @param {string} name
 * @returns {Promise<string | undefined>}
 */
export async function missingIn(host, name) {
  if (name === 'cgroup.kill') {
    const cgroup = sharedCgroup()
    return 'missing' in cgroup ? cgroup.missing : undefined
  }
  return (await host.ask('missing', { contender: name })).missing
}
