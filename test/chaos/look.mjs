// What a chaos run sees of processes: /proc, with the runner's own eyes. A process is named by pid and start time.
// Zombies count as gone, but for those that a host should have reaped.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} Seen
 * @property {number} pid
 * @property {number} startTime
 * @property {string} comm
 * @property {string} state
 * @property {number} ppid
 * @property {number} session
 * @property {string} text The line of its stat file.
 *
 * @typedef {Seen & { tree: string }} Carrier `tree`: `round.index`, or empty: the host and its helpers.
 */

/** The host's mark: a name of its own. */
export const HOST_VARIABLE = 'PROCLEASH_CHAOS_HOST'
/** In each tree's environment: `round.index`. */
export const TREE_VARIABLE = 'PROCLEASH_CHAOS_TREE'

/** @param {string} path A process may be gone at any time; then it reads as empty. */
function read(path) {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/**
 * @param {string} text
 * @returns {Seen | undefined}
 */
function parse(text) {
  const close = text.lastIndexOf(')')
  if (close < 0) return undefined
  const fields = text.slice(close + 2).split(' ')
  return {
    pid: Number.parseInt(text, 10),
    comm: text.slice(text.indexOf('(') + 1, close),
    state: fields[0] ?? '?',
    ppid: Number(fields[1]),
    session: Number(fields[3]),
    startTime: Number(fields[19]),
    text: text.trim(),
  }
}

/** @param {number} pid */
export function see(pid) {
  return parse(read(`/proc/${pid}/stat`))
}

/** @param {{ pid: number, startTime: number }} id */
export function isAlive(id) {
  const seen = see(id.pid)
  return seen !== undefined && seen.startTime === id.startTime && !'ZXx'.includes(seen.state)
}

/**
 * Living processes that were started with this host's mark.
 *
 * @param {string} mark
 * @returns {Carrier[]}
 */
export function carriersOf(mark) {
  const entry = `${HOST_VARIABLE}=${mark}`
  /** @type {Carrier[]} */
  const found = []
  for (const name of readdirSync('/proc')) {
    if (name.charCodeAt(0) > 57) continue
    const environment = read(`/proc/${name}/environ`)
    if (!environment.includes(entry)) continue
    const variables = environment.split('\0')
    const seen = see(Number(name))
    if (seen === undefined || 'ZXx'.includes(seen.state) || !variables.includes(entry)) continue
    const tree = variables.find((variable) => variable.startsWith(`${TREE_VARIABLE}=`))
    found.push({ ...seen, tree: tree?.slice(TREE_VARIABLE.length + 1) ?? '' })
  }
  return found
}

/**
 * Processes that gave their mark away and had written down first who they are, in a file `index.pid`. As they are now.
 *
 * @param {string} folder
 * @param {number} round
 * @returns {Carrier[]}
 */
export function unmarkedOf(folder, round) {
  /** @type {Carrier[]} */
  const found = []
  for (const name of readdirSync(folder)) {
    const [, index] = /^(\d+)\.\d+$/.exec(name) ?? []
    const noted = index === undefined ? undefined : parse(read(join(folder, name)))
    if (noted === undefined || !isAlive(noted)) continue
    found.push({ ...noted, ...see(noted.pid), tree: `${round}.${index}` })
  }
  return found
}

/** @param {number} pid @param {string} mark Of a host. */
export function carries(pid, mark) {
  return read(`/proc/${pid}/environ`).split('\0').includes(`${HOST_VARIABLE}=${mark}`)
}

/** Its real user id. @param {number} pid */
export function userOf(pid) {
  const [, user] = /^Uid:\t(\d+)/m.exec(read(`/proc/${pid}/status`)) ?? []
  return user === undefined ? undefined : Number(user)
}

/** Every process, zombies included. */
export function listProcesses() {
  /** @type {Seen[]} */
  const found = []
  for (const name of readdirSync('/proc')) {
    if (name.charCodeAt(0) > 57) continue
    const seen = see(Number(name))
    if (seen !== undefined) found.push(seen)
  }
  return found
}

/** @param {number} parent */
export function childrenOf(parent) {
  return listProcesses().filter(({ ppid }) => ppid === parent)
}

/**
 * Everything below a process, zombies included.
 *
 * @param {number} root
 * @param {readonly Seen[]} [table]
 * @returns {Seen[]}
 */
export function descendantsOf(root, table = listProcesses()) {
  return table
    .filter(({ ppid }) => ppid === root)
    .flatMap((child) => [child, ...descendantsOf(child.pid, table)])
}

/** @param {Seen} child Of a host. */
export function isSupervisor({ comm, state }) {
  return comm === 'procleash-super' && state !== 'Z'
}

/** The name of a keeper that waits for a command to come; the host holds its lease. */
export const SPARE_KEEPER = 'procleash-idle'

/**
 * The supervisor of a host and its keepers.
 *
 * @param {number} host
 */
export function helpersOf(host) {
  const supervisor = childrenOf(host).find(isSupervisor)
  if (supervisor === undefined) return undefined
  const keepers = childrenOf(supervisor.pid).filter(
    ({ comm, state }) => comm.startsWith('procleash-') && state !== 'Z',
  )
  return { supervisor, keepers: keepers.sort((a, b) => a.startTime - b.startTime || a.pid - b.pid) }
}

/**
 * What its descriptors lead to, without numbers that differ from run to run.
 *
 * @param {number} pid
 */
export function descriptorsOf(pid) {
  return namesIn(`/proc/${pid}/fd`).map((name) =>
    linkOf(`/proc/${pid}/fd/${name}`).replace(/:\[\d+\]$|(?<=\/)\d+(?=\/)/g, ''),
  )
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** @param {string} path */
function linkOf(path) {
  try {
    return readlinkSync(path)
  } catch {
    return 'closed meanwhile'
  }
}

/** @param {Seen & { tree?: string }} seen */
export function describe({ pid, ppid, state, comm, tree }) {
  const argv = read(`/proc/${pid}/cmdline`).split('\0').join(' ').trim().slice(0, 100)
  const whose = tree === undefined || tree === '' ? '' : `, tree ${tree}`
  return `pid ${pid} (${comm}, parent ${ppid}, state ${state}${whose}): ${argv}`
}

/**
 * SIGKILL, if the number is still its own.
 *
 * @param {{ pid: number, startTime: number }} id
 */
export function end(id) {
  signal(id, 'SIGKILL')
}

/**
 * @param {{ pid: number, startTime: number }} id
 * @param {NodeJS.Signals} name
 */
export function signal(id, name) {
  if (!isAlive(id)) return
  try {
    process.kill(id.pid, name)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error
  }
}
