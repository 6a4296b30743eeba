// A run: a host, a scenario, at most one fault; then what the host was told is compared with what /proc shows. Gives the
// complaints, none where all was well.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { carriersOf, describe, end, HOST_VARIABLE, isAlive } from '../chaos/look.mjs'
import { library } from './build.mjs'
import { childrenOf, helpersOf } from './kin.mjs'
import { createPage, disarm, readPage, writePage } from './page.mjs'

const program = fileURLToPath(new URL('host.mjs', import.meta.url))

/** Milliseconds in which a keeper that was asked for is forked. */
const QUIET = 250
/** Milliseconds until a host has said its word: each of its waits has a bound of its own below that. */
const BOUND = 60_000
/** Until what was told to go is gone. */
const PATIENCE = 15_000
const POLL = 5

/**
 * @typedef {object} Verdict
 * @property {string[]} complaints
 * @property {string} ending What the run ended in: `error CODE`, or `outcome reason proof`.
 * @property {boolean} reached Whether the call of the fault was made.
 * @property {import('./page.mjs').Counts} counts
 * @property {Map<string, number>} descriptors What host and supervisor held at the end.
 */

/**
 * @typedef {object} Judge A host, and who looks at it.
 * @property {(scenario: string, fault: import('./page.mjs').Fault | undefined, expected: Map<string, number> | undefined) => Promise<Verdict>} run
 *   `expected`: the descriptors of a run without a fault. After complaints, or when the host was killed, there is no next run.
 * @property {() => Promise<string[]>} close Complaints about the host's end and what it has left.
 */

/**
 * @param {string} folder
 * @param {number} [patience] Milliseconds until what was told to go is gone.
 * @returns {Judge}
 */
export function openJudge(folder, patience = PATIENCE) {
  const mark = randomUUID()
  const page = join(folder, `${mark}.page`)
  createPage(page)
  const host = startHost(page, mark)
  let killed = false

  return {
    async run(scenario, fault, expected) {
      writePage(page, fault)
      host.ask(scenario)
      /** @type {string[]} */
      const complaints = []
      let ending = ''
      /** @type {Map<string, number>} */
      let descriptors = new Map()
      const message = await within(host.word(), BOUND)
      if (message?.event === 'standing') {
        killed = true
        ending = 'host killed'
        const everybody = [...(message.members ?? []), ...kinOf(host.pid)]
        host.kill()
        await until(() => !everybody.some(isAlive))
        const left = await untilNone(() => carriersOf(mark))
        if (left.length > 0) complaints.push(`left by the dead host: ${left.map(describe).join('; ')}`)
      } else if (message?.event === 'told') {
        ending = endingOf(message)
        complaints.push(...liesIn(scenario, message, fault), ...(await strayOf(host.pid)))
        // What was named as a survivor, or could not be seen, is ended as soon as the fault is lifted.
        const living = await untilNone(() => (message.members ?? []).filter(isAlive), patience)
        if (living.length > 0) complaints.push(`live on: ${living.map(({ pid }) => pid).join(', ')}`)
        /** @type {string[]} */
        let differs = []
        let quietSince = performance.now()
        await until(() => {
          descriptors = descriptorsOf(host.pid)
          differs =
            expected === undefined || hasNoPidfds(fault)
              ? []
              : differences(descriptors, expected, mayLack(fault))
          // What others are compared with is taken while no keeper comes or goes.
          if (hasKeepers(host.pid)) quietSince = performance.now()
          return expected === undefined ? performance.now() > quietSince + QUIET : differs.length === 0
        })
        if (differs.length > 0)
          complaints.push(`descriptors, beside a run without a fault: ${differs.join(', ')}`)
      } else
        complaints.push(
          message === undefined ? 'the host says nothing' : `the host ended: ${JSON.stringify(message)}`,
        )
      const counts = readPage(page)
      return { complaints, ending, reached: counts.fired > 0, counts, descriptors }
    },
    async close() {
      /** @type {string[]} */
      const complaints = []
      disarm(page)
      host.closeInput()
      const exit = await within(host.ended, patience)
      if (exit === undefined) complaints.push('the host does not end')
      else if (exit !== '0' && !killed) complaints.push(`the host ended with ${exit}: ${host.stderr()}`)
      host.kill()
      await host.ended
      const left = await untilNone(() => carriersOf(mark), patience)
      if (left.length > 0) complaints.push(`left: ${left.map(describe).join('; ')}`)
      for (const each of left) end(each)
      rmSync(page)
      return complaints
    },
  }
}

/**
 * @param {string} page
 * @param {string} mark
 */
function startHost(page, mark) {
  const child = spawn(process.execPath, [program, library, page], {
    env: { ...process.env, [HOST_VARIABLE]: mark, PROCLEASH_FAULT_PAGE: page },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-2000)))
  child.stdin.on('error', () => {
    // A host that has ended reads no more.
  })
  /** @type {Promise<string>} */
  const ended = once(child, 'exit').then(([code, signal]) => String(code ?? signal))
  /** @type {(message: Message) => void} */
  let hear = () => {}
  createInterface({ input: child.stdout }).on('line', (line) => hear(JSON.parse(line)))
  return {
    pid: child.pid ?? 0,
    ended,
    stderr: () => errors,
    /** @param {string} line */
    ask: (line) => child.stdin.write(`${line}\n`),
    /** @returns {Promise<Message>} */
    word: () =>
      new Promise((resolve) => {
        hear = resolve
        // Its last line may still be on the way.
        void ended.then((exit) => setTimeout(resolve, 200, { event: 'end', exit, errors }))
      }),
    closeInput: () => child.stdin.end(),
    kill: () => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL'),
  }
}

/** @typedef {{ event: string, first?: any, later?: any, members?: { pid: number, startTime: number }[] }} Message */

/** @param {{ first?: any }} message */
function endingOf({ first }) {
  if (first.error !== undefined) return `error ${first.error.code}`
  const { outcome, reason, proof } = first.settlement
  return `${outcome} ${reason} ${proof}`
}

/**
 * A system that refuses a thing for good, to the supervisor: it does without for as long as it lives.
 *
 * @param {import('./page.mjs').Fault | undefined} fault
 */
function mayLack(fault) {
  return fault?.role === 'supervisor' && ['ENOSYS', 'EPERM', 'EACCES', 'EINVAL'].includes(fault.error)
}

/**
 * A system without pidfds: the supervisor is watched by its socket.
 *
 * @param {import('./page.mjs').Fault | undefined} fault
 */
function hasNoPidfds(fault) {
  return fault?.call === 'pidfd_open' && ['ENOSYS', 'EPERM'].includes(fault.error)
}

/**
 * @param {string} scenario
 * @param {Message} message
 * @param {import('./page.mjs').Fault | undefined} fault
 */
function liesIn(scenario, { first, later }, fault) {
  /** @type {string[]} */
  const found = []
  const outcomes = mayLack(fault) && fault?.call === 'prctl' ? ['empty', 'survivors'] : ['empty']
  if (later.error !== undefined || later.code !== 3 || !outcomes.includes(later.outcome)) {
    found.push(`a later command fails: ${JSON.stringify(later)}`)
  }
  if (first.error !== undefined) {
    const { code, typed, message } = first.error
    if (!typed || code === 'HANG') found.push(`no typed error: ${code} ${message}`)
    return found
  }
  const { settlement, exit, output } = first
  if (settlement.outcome === 'empty' && settlement.alive.length > 0) {
    found.push(`settled ${endingOf({ first })}, and these live: ${settlement.alive}`)
  }
  const lost = settlement.reason === 'supervisor-lost' || settlement.reason === 'lease-lost'
  const ends = scenario === 'start' || scenario === 'leftovers'
  if (ends && !lost && (exit.code !== 7 || exit.signal !== null)) {
    found.push(`exit 7 was told as ${JSON.stringify(exit)}`)
  }
  if (ends && !lost && output.error === '' && !output.text.endsWith('out\n')) {
    found.push(`the output is cut: ${JSON.stringify(output)}`)
  }
  return found
}

/**
 * What a living host that has nothing to do has beside its one supervisor: zombies, keepers, commands.
 * By lists of children, which cost little: what is nobody's child any more is looked for when the host has ended.
 *
 * @param {number} host
 */
async function strayOf(host) {
  const left = await untilNone(() => kinOf(host).filter(({ pid }) => pid !== helpersOf(host)?.supervisor.pid))
  return left.length === 0 ? [] : [`beside the supervisor: ${left.map(describe).join('; ')}`]
}

/** A keeper that waits for a command to come; the host holds its lease. */
const SPARE = 'procleash-idle'

/** @param {number} host */
function kinOf(host) {
  const below = childrenOf(host)
  return [...below, ...below.flatMap(({ pid }) => childrenOf(pid))].filter(({ comm }) => comm !== SPARE)
}

/** Those that wait for a command too. @param {number} host */
function hasKeepers(host) {
  return childrenOf(helpersOf(host)?.supervisor.pid ?? 0).length > 0
}

/**
 * What host and supervisor hold, by kind.
 *
 * @param {number} host
 * @returns {Map<string, number>}
 */
function descriptorsOf(host) {
  const supervisor = helpersOf(host)?.supervisor.pid
  const spares = childrenOf(supervisor ?? 0).filter(({ comm }) => comm === SPARE).length
  /** @type {Map<string, number>} */
  const kinds = new Map()
  for (const [who, pid] of Object.entries({ host, supervisor })) {
    for (const name of pid === undefined ? [] : namesIn(`/proc/${pid}/fd`)) {
      const kind = `${who} ${linkOf(`/proc/${pid}/fd/${name}`)}`
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

/** Without numbers that differ from run to run. @param {string} path */
function linkOf(path) {
  try {
    return readlinkSync(path).replace(/:\[\d+\]$|(?<=\/)\d+(?=\/)/g, '')
  } catch {
    return 'closed meanwhile'
  }
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} most
 * @returns {Promise<T | undefined>}
 */
async function within(promise, most) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise((resolve) => {
    // After a standstill of our own, what has come meanwhile is heard first.
    timer = setTimeout(() => setTimeout(resolve, 50), most)
  })
  const first = await Promise.race([promise, late])
  clearTimeout(timer)
  return /** @type {T | undefined} */ (first)
}

/**
 * @param {() => boolean} condition
 * @param {number} [patience]
 */
async function until(condition, patience = PATIENCE) {
  const over = performance.now() + patience
  while (!condition() && performance.now() < over) await new Promise((resolve) => setTimeout(resolve, POLL))
}

/**
 * @template T
 * @param {() => T[]} look
 * @param {number} [patience]
 */
async function untilNone(look, patience) {
  /** @type {T[]} */
  let left = []
  await until(() => {
    left = look()
    return left.length === 0
  }, patience)
  return left
}
