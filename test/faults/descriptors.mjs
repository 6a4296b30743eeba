// The descriptors that host and supervisor hold, and how they differ from those of a run without a fault.

import { descriptorsOf, SPARE_KEEPER } from '../chaos/look.mjs'
import { childrenOf, hasKeepers, helpersOf } from './kin.mjs'
import { mayLack } from './lies.mjs'
import { until } from './wait.mjs'

/** Milliseconds in which a keeper that was asked for is forked. */
const QUIET = 250

/** Where it can't be opened, all of /proc takes its place. */
const OWN_CHILDREN = /^\/proc\/.*\/children$/

/** @typedef {import('./page.mjs').Fault} Fault */

/**
 * What host and supervisor hold, once that is what is expected, or won't be. What others are compared with, when
 * nothing is expected, is taken while no keeper comes or goes.
 *
 * @param {number} host
 * @param {Fault | undefined} fault
 * @param {Map<string, number> | undefined} expected
 */
export async function heldAtRest(host, fault, expected) {
  /** @type {Map<string, number>} */
  let held = new Map()
  /** @type {string[]} */
  let differs = []
  let quietSince = performance.now()
  await until(() => {
    held = heldBy(host)
    if (expected === undefined) {
      if (hasKeepers(host)) quietSince = performance.now()
      return performance.now() > quietSince + QUIET
    }
    // A pidfd that can't be watched for want of memory is given up; a supervisor that hears nobody has ended.
    const givenUp = ['epoll_ctl', 'memory'].includes(fault?.call ?? '') || helpersOf(host) === undefined
    const fewer = mayLack(fault) || givenUp
    differs = hasNoPidfds(fault) ? [] : differences(held, expected, fewer)
    return differs.length === 0
  })
  return { held, differs }
}

/**
 * A system without pidfds: the supervisor is watched by its socket.
 *
 * @param {Fault | undefined} fault
 */
function hasNoPidfds(fault) {
  return fault?.call === 'pidfd_open' && ['ENOSYS', 'EPERM'].includes(fault.error)
}

/**
 * What host and supervisor hold, by kind.
 *
 * @param {number} host
 * @returns {Map<string, number>}
 */
function heldBy(host) {
  const supervisor = helpersOf(host)?.supervisor.pid
  const spares = childrenOf(supervisor ?? 0).filter(({ comm }) => comm === SPARE_KEEPER).length
  /** @type {Map<string, number>} */
  const kinds = new Map()
  for (const [who, pid] of Object.entries({ host, supervisor })) {
    for (const link of pid === undefined ? [] : descriptorsOf(pid)) {
      const kind = `${who} ${OWN_CHILDREN.test(link) ? '/proc' : link}`
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    }
  }
  kinds.set('host socket', (kinds.get('host socket') ?? 0) - spares)
  return kinds
}

/**
 * @param {Map<string, number>} found
 * @param {Map<string, number>} expected
 * @param {boolean} mayBeFewer
 */
function differences(found, expected, mayBeFewer) {
  const kinds = [...new Set([...found.keys(), ...expected.keys()])]
  return kinds.flatMap((kind) => {
    const more = (found.get(kind) ?? 0) - (expected.get(kind) ?? 0)
    return more > 0 || (more < 0 && !mayBeFewer) ? [`${kind} ${more > 0 ? '+' : ''}${more}`] : []
  })
}
