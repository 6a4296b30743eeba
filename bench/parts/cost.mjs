// Cost: memory and cpu of the supervisor and its keepers, and what it takes to look at a tree on a crowded system.

import { setTimeout as delay } from 'node:timers/promises'
import { startHost } from '../lib/host.mjs'
import { compiled } from '../lib/native.mjs'
import { cpuNanoseconds, parentOf, processCount, residentKilobytes } from '../lib/proc.mjs'
import { temporaryPath } from '../lib/temporary.mjs'
import { startWatcher } from '../lib/watcher.mjs'

/** @typedef {import('../../scripts/runtimes.mjs').Runtime} Runtime */
/** @typedef {import('../lib/host.mjs').Host} Host */

const HOST = 'cost-host.mjs'
const COMMANDS = 50
/** Milliseconds of rest in which cpu time is counted. */
const REST = 500
const WORK = 50
const LOOKERS = ['procleash inspectTree()', 'procleash processes()', '/proc in JavaScript', 'ps -A']
/** Processes of the tree that is looked for. */
const TREE = 10

/**
 * In one runtime: none has a part in it.
 *
 * @param {import('./index.mjs').Choice} choice
 * @returns {import('../lib/run.mjs').Group[]}
 */
export function cost({ main, quick }) {
  const few = quick ? 3 : 30
  const goal = { rounds: few, fastRounds: few }
  const systems = quick ? [500, 1000] : [500, 1000, 2000, 5000]
  return [
    {
      part: 'cost',
      runtime: main,
      case: { commands: COMMANDS },
      seconds: quick ? 4 : 30,
      goal: { metric: 'supervisorMemory', ...goal },
      open: () => openCost(main),
    },
    ...systems.map((processes) => ({
      part: 'inspect',
      runtime: main,
      case: { processes },
      seconds: quick ? 3 : 10,
      goal: { metric: 'time', ...goal },
      open: () => openInspect(main, processes),
    })),
  ]
}

/**
 * Memory in kB: of the supervisor, and of one keeper. Cpu in milliseconds: of all together in a second of rest, of
 * the supervisor and the keepers together for a command that starts and ends.
 *
 * @param {Runtime} runtime
 */
async function openCost(runtime) {
  const host = startHost(runtime, HOST)
  return {
    absent: [],
    entrants: [
      {
        name: 'procleash',
        async measure() {
          const { pids } = await host.ask('start', { count: COMMANDS, file: 'sleep', args: ['60'] })
          const keepers = pids.map(parentOf)
          const supervisor = parentOf(keepers[0])
          const all = [supervisor, ...keepers]
          const before = cpuOf(all)
          await delay(REST)
          const idle = cpuOf(all) - before
          const memory = {
            supervisorMemory: residentKilobytes(supervisor),
            keeperMemory: Math.max(...keepers.map(residentKilobytes)),
          }
          await host.ask('stop')
          const rested = cpuOf([supervisor])
          await host.ask('work', { count: WORK })
          // Keepers that were waited for are counted with the supervisor: `cutime`, `cstime`.
          const worked = cpuOf([supervisor]) - rested
          return { ...memory, idleCpu: idle / (REST / 1000), commandCpu: worked / WORK }
        },
      },
    ],
    close: host.end,
  }
}

/** @param {readonly number[]} pids Milliseconds of all. */
function cpuOf(pids) {
  return pids.reduce((total, pid) => total + cpuNanoseconds(pid), 0) / 1e6
}

/**
 * @param {Runtime} runtime
 * @param {number} processes On the whole system.
 */
async function openInspect(runtime, processes) {
  const crowd = await startCrowd(runtime, Math.max(1, processes - processCount() - TREE))
  const host = startHost(runtime, HOST)
  const fifo = temporaryPath('tree')
  const watcher = startWatcher()
  await watcher.open(fifo)
  await host.ask('start', {
    count: 1,
    file: compiled('fixtures/tree.c'),
    args: ['bushy', String(TREE), fifo],
  })
  await watcher.gather(TREE)
  const entrants = []
  const absent = []
  for (const name of LOOKERS) {
    const { missing } = await host.ask('missing', { name })
    if (missing === undefined) entrants.push({ name, measure: () => host.ask('look', { name }) })
    else absent.push({ name, reason: missing })
  }
  return {
    entrants,
    absent,
    async close() {
      await host.ask('stop')
      await Promise.all([host.end(), watcher.end(), crowd.end()])
    },
  }
}

/**
 * Processes that are nobody's business, of another host.
 *
 * @param {Runtime} runtime
 * @param {number} size
 */
async function startCrowd(runtime, size) {
  const host = startHost(runtime, 'tree-host.mjs')
  const watcher = startWatcher()
  const fifo = temporaryPath('tree')
  await watcher.open(fifo)
  const args = ['flat', String(size), fifo]
  await host.ask('start', { contender: 'child.kill', file: compiled('fixtures/tree.c'), args })
  await watcher.gather(size)
  return {
    async end() {
      await watcher.kill()
      await Promise.all([host.end(), watcher.end()])
    },
  }
}
