// The host of fault runs: lives through a scenario for each line of its input, says what it was told, and whether the
// next command works once the page is disarmed. Arguments: the library, the page. The scenario `start` has its page armed
// from the first call on; the others once their tree stands, since what comes before is the same in all of them.
// Looks at /proc itself at the moment of a settlement: later is too late to call it a lie.

import { spawn as plainSpawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { isAlive, see } from '../chaos/look.mjs'
import { helpersOf } from './kin.mjs'
import { arm, disarm } from './page.mjs'
import { within } from './wait.mjs'

const [, , library = '', page = ''] = process.argv
const { env } = process
/** Milliseconds that anything may take. No budget here is above a second; the rest is for a busy machine. */
const BOUND = 15_000
const BUDGET = 300
/** Milliseconds in which one that was hit ends. */
const SOON = 2000

/** One in a session of its own, and everybody's number. Job control off: setsid does not fork, so that $! is its. */
const MEEK = 'setsid sleep 1000 & a=$!; sleep 1000 & echo up $$ $a $! .; wait'
/** Deaf to SIGTERM: takes SIGKILL and a subreaper. */
const DEAF = `trap "" TERM; ${MEEK}`

/** @typedef {import('../../src/types.js').Settlement} Settlement */
/** @typedef {Record<string, unknown>} Told */

/** @param {object} message */
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {string} what
 */
function inTime(promise, what) {
  return within(promise, BOUND, () => {
    throw Object.assign(new Error(`${what} takes for ever`), { code: 'HANG' })
  })
}

/**
 * The processes of the current tree, as it has told them.
 *
 * @type {{ pid: number, startTime: number }[]}
 */
let members = []

/** @param {string} text */
function noteMembers(text) {
  const [, numbers = ''] = /up ([\d ]+)\./.exec(text) ?? []
  const pids = numbers.trim().split(' ').map(Number)
  members = pids.map(see).filter((seen) => seen !== undefined)
}

const living = () => members.filter(isAlive)

/** @param {Pick<Settlement, 'outcome' | 'reason' | 'proof' | 'survivors'>} settlement */
function told({ outcome, reason, proof, survivors }) {
  const alive = living()
  return { outcome, reason, proof, survivors: survivors.length, alive: alive.map(({ pid }) => pid) }
}

const { run, spawn, stopTree, watchTree } = await import(library)

/**
 * @param {string} script
 * @param {object} [options]
 */
async function start(script, options) {
  members = []
  const command = await inTime(spawn('sh', ['-c', script], { env, budget: BUDGET, ...options }), 'the start')
  // At the very moment: what comes later may have changed.
  const settled = command.settled.then(told)
  const text = collect(command.stdout)
  return { command, settled, text }
}

/** @param {AsyncIterable<Uint8Array>} stream */
function collect(stream) {
  const collected = { text: '', error: '', ended: false }
  const decoder = new TextDecoder()
  const done = (async () => {
    try {
      for await (const chunk of stream) collected.text += decoder.decode(chunk)
    } catch (error) {
      collected.error = codeOf(error)
    }
    collected.ended = true
    return collected
  })()
  return { collected, done }
}

/** The tree stands, or will never. @param {Awaited<ReturnType<typeof start>>} started */
async function stands({ text, settled }) {
  const up = (async () => {
    while (!text.collected.text.includes('.') && !text.collected.ended) {
      await setTimeout(2)
    }
    noteMembers(text.collected.text)
  })()
  await inTime(Promise.race([up, settled]), 'the tree')
}

/** @param {Awaited<ReturnType<typeof start>>} started @returns {Promise<Told>} */
async function report({ command, settled, text }) {
  const settlement = await inTime(settled, 'the settlement')
  const exit = await inTime(Promise.resolve(command.exited), 'the exit')
  const output = await inTime(text.done, 'the end of the output')
  return { settlement, exit, output }
}

/** A tree that procleash has not started. */
async function plainTree() {
  const child = plainSpawn('sh', ['-c', MEEK], { env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const [text] = await once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data')
  noteMembers(String(text))
  return child
}

/**
 * A settlement that names survivors may leave the child: the judge knows whether its fault lets it.
 *
 * @param {Promise<unknown>} ended
 * @param {{ outcome: string }} settlement
 */
async function isLeft(ended, { outcome }) {
  if (outcome === 'empty') return inTime(ended, 'the end of the child').then(() => false)
  return Promise.race([ended.then(() => false), setTimeout(SOON, true)])
}

/** @param {Awaited<ReturnType<typeof start>>} started */
async function standsArmed(started) {
  await stands(started)
  arm(page)
}

/** @type {Record<string, () => Promise<Told>>} */
const SCENARIOS = {
  // The command is started and ends by itself, and nothing is left.
  start: async () => {
    arm(page)
    return report(await start('echo out; exit 7'))
  },
  // It leaves a process in another session, which the default stops.
  leftovers: async () => {
    const started = await start('setsid sleep 1000 & echo up $$ $! .; read word; echo out; exit 7', {
      stdin: 'pipe',
    })
    await standsArmed(started)
    const writer = started.command.stdin.getWriter()
    await inTime(writer.close(), 'the end of the input').catch(() => {})
    return report(started)
  },
  stop: async () => {
    const started = await start(DEAF)
    await standsArmed(started)
    await inTime(started.command.stop(), 'the stop')
    return report(started)
  },
  timeout: async () => {
    const started = await start(MEEK, { timeout: 150 })
    arm(page)
    return report(started)
  },
  // What the supervisor is for.
  'keeper-death': async () => {
    const started = await start(DEAF)
    await standsArmed(started)
    killHelpers('keepers')
    return report(started)
  },
  // Keeper and supervisor: the host's own sweep.
  'helpers-death': async () => {
    const started = await start(DEAF)
    await standsArmed(started)
    killHelpers('all')
    return report(started)
  },
  // The judge kills this host.
  'host-death': async () => {
    const started = await start(DEAF)
    await standsArmed(started)
    say({ event: 'standing', members })
    return report(started)
  },
  'stop-tree': async () => {
    const child = await plainTree()
    const ended = once(child, 'exit')
    try {
      arm(page)
      const settlement = told(await inTime(stopTree(child.pid, { budget: BUDGET }), 'the stop'))
      return { settlement, left: await isLeft(ended, settlement) }
    } finally {
      endPlain()
    }
  },
  'watch-tree': async () => {
    const child = await plainTree()
    const ended = once(child, 'exit')
    try {
      arm(page)
      const watch = await inTime(watchTree(child.pid, { budget: BUDGET }), 'the watch')
      const settled = watch.settled.then(told)
      await inTime(watch.stop(), 'the stop')
      const settlement = await inTime(settled, 'the settlement')
      return { settlement, left: await isLeft(ended, settlement) }
    } finally {
      endPlain()
    }
  },
  // Control: what a host does without procleash, and what it believes.
  naive: async () => {
    const child = await plainTree()
    child.kill('SIGTERM')
    await once(child, 'exit')
    child.stdout?.destroy()
    return { settlement: told({ outcome: 'empty', reason: 'stop', proof: 'none', survivors: [] }) }
  },
}

/** @param {'keepers' | 'all'} which */
function killHelpers(which) {
  const helpers = helpersOf(process.pid)
  if (helpers === undefined) return
  const { supervisor, keepers } = helpers
  for (const { pid } of which === 'all' ? [supervisor, ...keepers] : keepers) process.kill(pid, 'SIGKILL')
}

/** A refusal leaves the tree to whoever has started it. */
function endPlain() {
  for (const { pid } of living()) process.kill(pid, 'SIGKILL')
}

/** @param {unknown} error */
function codeOf(error) {
  return String(/** @type {{ code?: unknown }} */ (error)?.code ?? error)
}

/** @param {unknown} error */
function errorOf(error) {
  const { name, code, fix, message } = /** @type {Error & { code?: unknown, fix?: unknown }} */ (error)
  return { name, code, typed: typeof fix === 'string', message }
}

/** @param {() => Promise<Told>} act @returns {Promise<Told>} */
async function attempt(act) {
  try {
    return await act()
  } catch (error) {
    return { error: errorOf(error) }
  }
}

// The judge looks at us before it asks for more.
for await (const scenario of createInterface({ input: process.stdin })) {
  const act = SCENARIOS[scenario]
  if (act === undefined) throw new Error(`there is no scenario ${scenario}`)
  const first = await attempt(act)
  disarm(page)
  const later = await attempt(async () => {
    const { code, settlement } = await inTime(run('sh', ['-c', 'exit 3']), 'a later command')
    return { code, outcome: settlement.outcome }
  })
  say({ event: 'told', first, later, members })
}
