// A soak run in one runtime: a host that works and rests by turns, and is looked at from outside all the time.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { lastOf } from '../chaos/gone.mjs'
import { startHost } from '../chaos/host.mjs'
import { carriersOf, descendantsOf, describe, end, helpersOf, see } from '../chaos/look.mjs'
import { createListener } from './listener.mjs'
import { cpuTime, fewest, leastOf, ownMemory, sampleWork } from './sample.mjs'
import { LEAST_RESTS } from './verdict.mjs'

/** Milliseconds for any answer of the host. One that takes longer hangs. */
const PATIENCE = 60_000
/** Milliseconds for a settled tree's helper to be gone. */
const LEAVING = 5000
/** Milliseconds for a host that has nothing more to do to end. */
const ENDING = 15_000
/** Milliseconds between two acts of a session, at most: three sessions take about a quarter of a core then. */
const PAUSE = 150
/** Between two rests, at least: a leak must have its chance on a busy machine too. */
const LEAST_ACTS = 8
/** The run is over then: more of them tell no more. */
const MOST_TROUBLES = 10
/** How the garbage collector is laid open: see the host. */
const COLLECTOR = { bun: [], deno: ['--v8-flags=--expose-gc'], node: ['--expose-gc'] }

/**
 * @typedef {'none' | 'descriptors' | 'memory' | 'processes'} Leak
 *
 * @typedef {object} Run
 * @property {string} runtime
 * @property {string} version
 * @property {number} duration Milliseconds, until the host was told to end.
 * @property {boolean} interrupted
 * @property {number} cpu Share of one core that host, helpers and commands have used.
 * @property {Record<string, number>} done How often each act was done.
 * @property {string[]} troubles What was not as it has to be.
 * @property {import('./sample.mjs').Work[]} work
 * @property {import('./sample.mjs').Rest[]} rests
 */

/**
 * @param {object} options
 * @param {import('../../scripts/runtimes.mjs').Runtime} options.runtime
 * @param {number} options.minutes
 * @param {AbortSignal} options.signal Ends the run early.
 * @param {Leak} [options.leak] A fault on purpose.
 * @param {(run: Run) => void} [options.progress]
 * @returns {Promise<Run>}
 */
export async function runSoak({ runtime, minutes, signal, leak = 'none', progress = () => {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'procleash-soak-'))
  /** @type {Run} */
  const run = {
    runtime: runtime.name,
    version: runtime.version,
    duration: 0,
    interrupted: false,
    cpu: 0,
    done: {},
    troubles: [],
    work: [],
    rests: [],
  }
  try {
    await withHost(runtime, run, (host) =>
      watch({ host, run, folder, total: minutes * 60_000, signal, leak, progress }),
    )
    const files = readdirSync(folder).filter((name) => name !== 'resident.log')
    if (files.length > 0) run.troubles.push(`left in its folder: ${files.join(' ')}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
  return run
}

/**
 * A host that was told to end has to do so by itself: nothing of the product holds its loop. One that has failed is
 * ended.
 *
 * @param {import('../../scripts/runtimes.mjs').Runtime} runtime
 * @param {Run} run
 * @param {(host: import('../chaos/host.mjs').ChaosHost) => Promise<void>} work
 */
async function withHost(runtime, run, work) {
  const host = await startHost(withCollector(runtime), 'soak/main.mjs')
  try {
    await work(host)
    await Promise.race([host.ended, pause(ENDING, undefined, { ref: false })])
    if (host.isRunning()) throw new Error('the host does not end')
    const { code, signal } = await host.ended
    if (code !== 0) throw new Error(`the host has ended with ${signal ?? code}`)
  } catch (error) {
    run.troubles.push(`${error instanceof Error ? error.message : error}\n${host.stderr()}`.trim())
  } finally {
    end(host)
    await host.ended
    await endLeft(host, run)
  }
}

/**
 * @param {object} options
 * @param {import('../chaos/host.mjs').ChaosHost} options.host
 * @param {Run} options.run
 * @param {string} options.folder
 * @param {number} options.total Milliseconds.
 * @param {AbortSignal} options.signal
 * @param {Leak} options.leak
 * @param {(run: Run) => void} options.progress
 */
async function watch({ host, run, folder, total, signal, leak, progress }) {
  const began = performance.now()
  const listener = createListener(host, PATIENCE)
  listener.on('trouble', ({ text }) => run.troubles.push(text))
  const { resident } = await listener.ask('start', 'started', { folder, seed: '1', pause: PAUSE, leak })
  const members = membersOf(host.pid, resident)
  listener.on('beat', ({ delay, heap, done }) => {
    run.done = done
    run.duration = performance.now() - began
    run.work.push({ at: run.duration, delay, heap, ...sampleWork(host.pid) })
    progress(run)
  })
  const cpuBefore = cpuTime(host.pid)

  const gap = Math.min(20_000, Math.max(500, total / 24))
  /** @type {import('./sample.mjs').Counts | undefined} */
  let least
  const isOver = () =>
    signal.aborted ||
    run.troubles.length >= MOST_TROUBLES ||
    (performance.now() - began >= total && run.rests.length >= LEAST_RESTS)
  while (!isOver()) {
    await Promise.race([pause(gap, undefined, { signal }).catch(() => {}), listener.failed])
    await listener.ask('rest', 'resting', { least: signal.aborted ? 0 : LEAST_ACTS })
    run.troubles.push(...(await leftAtRest(host, members)))
    const counts = await fewest(members, least)
    least = leastOf(counts, least)
    const { heap } = await listener.ask('collect', 'collected')
    run.rests.push({
      at: performance.now() - began,
      heap,
      hostMemory: ownMemory(members.host),
      supervisorMemory: ownMemory(members.supervisor),
      keeperMemory: ownMemory(members.keeper),
      ...counts,
    })
    if (!isOver()) host.tell('work')
  }
  run.interrupted = signal.aborted
  run.duration = performance.now() - began
  run.cpu = (cpuTime(host.pid) - cpuBefore) / run.duration
  await listener.ask('end', 'ended')
  host.tell('leave')
  host.closeInput()
}

/** @param {number} host @param {number} resident */
function membersOf(host, resident) {
  const supervisor = helpersOf(host)?.supervisor.pid
  const keeper = see(resident)?.ppid
  if (supervisor === undefined || keeper === undefined) throw new Error('the resident server has no keeper')
  return { host, supervisor, keeper, resident }
}

/**
 * What is there beside the host, its supervisor and the resident server. Ended, so that it is named once.
 *
 * @param {import('../chaos/host.mjs').ChaosHost} host
 * @param {import('./sample.mjs').Members} members
 */
async function leftAtRest(host, { supervisor, keeper, resident }) {
  const members = [host.pid, supervisor, keeper, resident]
  const left = await lastOf(
    () => {
      const zombies = descendantsOf(host.pid).filter(({ state }) => state === 'Z')
      const all = [...carriersOf(host.mark), ...zombies.map((seen) => ({ ...seen, tree: '' }))]
      // The server itself starts and reaps a process each second.
      return all.filter(({ pid, ppid }) => !members.includes(pid) && ppid !== resident)
    },
    () => LEAVING,
  )
  for (const each of left) end(each)
  return left.map((each) => `left at a rest: ${describe(each)}`)
}

/**
 * @param {import('../chaos/host.mjs').ChaosHost} host
 * @param {Run} run
 */
async function endLeft(host, run) {
  const left = await lastOf(
    () => carriersOf(host.mark),
    () => LEAVING,
  )
  for (const each of left) {
    run.troubles.push(`left at the end: ${describe(each)}`)
    end(each)
  }
}

/** @param {import('../../scripts/runtimes.mjs').Runtime} runtime */
function withCollector({ name, command, args }) {
  const kind = name === 'bun' || name === 'deno' ? name : 'node'
  return { name, command, args: [...args, ...COLLECTOR[kind]] }
}
