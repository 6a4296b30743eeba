// npm run demo: three promises of procleash, kept or not in each runtime. Exit status 1 if one was not.

import { constants } from 'node:os'
import { runtimes } from '../scripts/runtimes.mjs'
import * as show from './render.mjs'
import { startHost, watchEnd } from './watch.mjs'

/** @typedef {import('../dist/src/index.js').ProcessInfo} ProcessInfo */
/** @typedef {import('../dist/src/index.js').Settlement} Settlement */
/** @typedef {import('./watch.mjs').Host} Host */

/**
 * @typedef {object} Row
 * @property {import('../scripts/runtimes.mjs').Runtime} runtime
 * @property {StopAct} [stop]
 * @property {TimeoutAct} [timeout]
 * @property {DeathAct} [death]
 * @property {string} [error]
 */
/** @typedef {{ kept: boolean, settlement: Settlement, roles: Record<string, string>, left: number }} StopAct */
/** @typedef {{ kept: boolean, dead: number, unblocked: number, ownTimer: number, settlement: Settlement }} TimeoutAct */
/** @typedef {{ kept: boolean, started: number, left: number, elapsed: number }} DeathAct */

const BUDGET = 500
const TIMEOUT = 300
/** The budget counts from the moment in which the kernel closes a dead host's sockets; its memory goes first. */
const NOTICE = 100
/** Milliseconds after which the demo stops waiting and counts what is left. */
const PATIENCE = 3000

/** @type {Host | undefined} */
let current
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.once(signal, () => {
    current?.end()
    process.exit(128 + constants.signals[signal])
  })
}

show.title()
/** @type {Row[]} */
const rows = []
for (const runtime of runtimes()) {
  show.runtime(runtime)
  rows.push(runtime.missing === undefined ? await demonstrate(runtime) : { runtime })
}
show.table(rows)
process.exitCode = rows.every(isKept) ? 0 : 1

/** @param {Row} row */
function isKept({ runtime, error, stop, timeout, death }) {
  if (runtime.missing !== undefined) return true
  return error === undefined && stop?.kept && timeout?.kept && death?.kept
}

/** @param {Row['runtime']} runtime */
async function demonstrate(runtime) {
  /** @type {Row} */
  const row = { runtime }
  const host = startHost(runtime)
  current = host
  try {
    row.stop = await stopOfTheTree(host)
    show.stop(row.stop)
    row.timeout = await timeoutOfABlockedHost(host)
    show.timeout(row.timeout)
    row.death = await deathOfTheHost(host)
    show.death(row.death)
  } catch (error) {
    row.error = error instanceof Error ? error.message : String(error)
    show.error(row.error)
  } finally {
    host.end()
  }
  return row
}

/**
 * @param {Host} host
 * @returns {Promise<StopAct>}
 */
async function stopOfTheTree(host) {
  /** @type {{ processes: ProcessInfo[], roles: Record<string, string> }} */
  const { processes, roles } = await host.next('tree')
  show.tree(processes, roles)
  /** @type {{ settlement: Settlement, left: number }} */
  const { settlement, left } = await host.next('stopped')
  const kept = settlement.outcome === 'empty' && settlement.elapsed <= BUDGET && left === 0
  return { kept, settlement, roles, left }
}

/**
 * @param {Host} host
 * @returns {Promise<TimeoutAct>}
 */
async function timeoutOfABlockedHost(host) {
  /** @type {{ began: number, processes: ProcessInfo[] }} */
  const { began, processes } = await host.next('blocking')
  const end = watchEnd(processes, PATIENCE)
  const { after: unblocked } = await host.next('unblocked')
  /** @type {{ settlement: Settlement, ownTimer: number }} */
  const { settlement, ownTimer } = await host.next('timed-out')
  const { at, left } = await end
  const dead = at - began
  const inTime = dead >= TIMEOUT && dead <= TIMEOUT + BUDGET && dead < unblocked
  const told = settlement.outcome === 'empty' && settlement.reason === 'timeout'
  return { kept: left.length === 0 && inTime && told, dead, unblocked, ownTimer, settlement }
}

/**
 * @param {Host} host
 * @returns {Promise<DeathAct>}
 */
async function deathOfTheHost(host) {
  await host.next('waiting')
  const family = host.family()
  const killed = Date.now()
  host.kill()
  const { at } = await watchEnd(family, PATIENCE)
  // Once more by the mark: a process that was not there yet, or not seen, counts as well.
  const left = host.family().length
  const elapsed = at - killed
  return { kept: left === 0 && elapsed <= BUDGET + NOTICE, started: family.length, left, elapsed }
}
