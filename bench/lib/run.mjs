// Runs groups of measurements: each is one case, in which contenders take turns until the case has its samples or its
// time is over.

import { createHosts } from './hosts.mjs'
import { createProgress } from './progress.mjs'
import { addSample } from './results.mjs'
import { createTurns } from './turns.mjs'

/** Milliseconds. */
const LONG = 1000

/**
 * @typedef {object} Group
 * @property {string} part
 * @property {import('../../scripts/runtimes.mjs').Runtime} runtime
 * @property {Readonly<Record<string, string | number>>} case
 * @property {number} seconds That it may take; what one leaves, the next ones may use.
 * @property {import('./turns.mjs').Goal} goal
 * @property {boolean} [cold] No first measurement that does not count.
 * @property {(hosts: import('./hosts.mjs').Hosts) => Promise<import('./field.mjs').Field & { close?: () => Promise<unknown> }>} open
 */

/**
 * @param {readonly Group[]} groups
 * @param {ReturnType<typeof import('./results.mjs').createResults>} results
 * @param {object} options
 * @param {(contender: string) => boolean} [options.takes] Who is measured. Default: all.
 * @param {number} [options.most] Seconds for all. Where the machine is so slow that they do not do, the last groups are
 *   left out. Default: no end.
 * @returns {Promise<readonly Group[]>} Those that were left out.
 */
export async function runGroups(groups, results, { takes, most = Number.POSITIVE_INFINITY }) {
  const progress = createProgress(groups.map((group) => ({ ...group, title: titleOf(group) })))
  const hosts = createHosts(takes)
  const began = performance.now()
  let allowed = 0
  for (const [index, group] of groups.entries()) {
    if (performance.now() - began > most * 1000) {
      await hosts.close()
      return groups.slice(index)
    }
    allowed += group.seconds * 1000
    await runGroup(group, hosts, results, began + allowed, (share) => progress.show(index, share))
    progress.finish(index)
    results.save()
    const next = groups[index + 1]
    if (next?.part !== group.part || next?.runtime !== group.runtime) await hosts.close()
  }
  return []
}

/**
 * @param {Group} group
 * @param {import('./hosts.mjs').Hosts} hosts
 * @param {ReturnType<typeof import('./results.mjs').createResults>} results
 * @param {number} deadline
 * @param {(share: number) => void} show
 */
async function runGroup(group, hosts, results, deadline, show) {
  const about = { part: group.part, runtime: group.runtime.name, case: group.case }
  const { entrants, absent, close } = await opened(group, hosts)
  for (const { name, reason } of absent) results.point({ ...about, contender: name, absent: reason })
  const points = new Map(entrants.map(({ name }) => [name, results.point({ ...about, contender: name })]))
  const turns = createTurns([...points.keys()], group.goal)
  const began = performance.now()
  const isOver = () => performance.now() > deadline
  const measure = measurer(entrants)

  /**
   * @param {string} name
   * @param {boolean} warmingUp The sample does not count, unless it took so long that warmth plays no part.
   */
  const take = async (name, warmingUp) => {
    const before = performance.now()
    try {
      const sample = await measure(name)
      const wall = performance.now() - before
      if (warmingUp && wall < LONG) return
      turns.record(name, sample, wall)
      const point = points.get(name)
      if (point !== undefined) addSample(point, sample)
    } catch (error) {
      turns.fail(name, messageOf(error))
    }
    show(Math.max(turns.share(), (performance.now() - began) / (group.seconds * 1000)))
  }

  if (!group.cold) for (const { name } of entrants) await take(name, true)
  for (
    let names = turns.next();
    names.length > 0 && !(isOver() && turns.hasOneOfEach());
    names = turns.next()
  ) {
    for (const name of names) if (!isOver() || !turns.has(name)) await take(name, false)
  }
  for (const [name, point] of points) {
    const failure = turns.failureOf(name)
    if (failure !== undefined) point.absent = `failed: ${failure}`
  }
  await close?.()
}

/**
 * A case that can't be set up is told on standard error, and the others go on.
 *
 * @param {Group} group
 * @param {import('./hosts.mjs').Hosts} hosts
 * @returns {ReturnType<Group['open']>}
 */
async function opened(group, hosts) {
  try {
    const { entrants, absent, close } = await group.open(hosts)
    const takes = (/** @type {{ name: string }} */ { name }) => hosts.takes(name)
    return { entrants: entrants.filter(takes), absent: absent.filter(takes), ...(close && { close }) }
  } catch (error) {
    console.error(`\n${titleOf(group)}: ${messageOf(error)}`)
    await hosts.close()
    return { entrants: [], absent: [] }
  }
}

/** @param {readonly import('./field.mjs').Entrant[]} entrants */
function measurer(entrants) {
  const table = new Map(entrants.map(({ name, measure }) => [name, measure]))
  /** @param {string} name */
  return async (name) => {
    const measure = table.get(name)
    if (measure === undefined) throw new Error(`nobody is called ${name}`)
    return measure()
  }
}

/** @param {Group} group */
export function titleOf({ part, runtime, case: details }) {
  return [part, runtime.name, ...Object.entries(details).map(([name, value]) => `${name} ${value}`)].join(' ')
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error)
}
