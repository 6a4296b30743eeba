// Spawn: how long the call blocks the event loop, when the command's main runs, by the memory of the host; and how many
// a second.

import { existsSync, rmSync } from 'node:fs'
import { startHost } from '../lib/host.mjs'
import { availableMemory } from '../lib/machine.mjs'
import { compiled } from '../lib/native.mjs'
import { temporaryPath } from '../lib/temporary.mjs'

/** @typedef {import('../../scripts/runtimes.mjs').Runtime} Runtime */

/** MB that every host has touched beside its own. */
const MEMORIES = [0, 1024, 4096]
const NATIVE = { bun: 'bun.spawn', deno: 'deno.command' }
/** Calls that do not count: the code is compiled, the pages are there. */
const WARM_UP = 30
/** Calls in a row of one host: the first after a pause finds cold caches. The last one counts. */
const RUN_UP = 2
const MOST_AT_ONCE = 64

/**
 * @param {import('./index.mjs').Choice} choice
 * @returns {import('../lib/run.mjs').Group[]}
 */
export function spawn({ main, each, quick }) {
  return each.flatMap((runtime) => {
    if (quick && runtime !== main) return []
    const rounds = quick ? 15 : 100
    return [
      ...(quick ? MEMORIES.slice(0, 2) : MEMORIES).map((memory) => ({
        part: 'spawn',
        runtime,
        case: { memory },
        seconds: quick ? 5 : 12 + memory / 400,
        goal: { metric: 'call', rounds: quick ? 15 : 30, fastRounds: rounds },
        open: () => openCalls(runtime, memory),
      })),
      ...[1, MOST_AT_ONCE].map((width) => ({
        part: 'spawn-rate',
        runtime,
        case: { width },
        seconds: quick ? 3 : 6,
        goal: { metric: 'rate', rounds: quick ? 5 : 30, fastRounds: quick ? 5 : 30 },
        open: () => openRate(runtime, width, quick ? 64 : 128),
      })),
    ]
  })
}

/** @param {Runtime} runtime */
export function startersOf({ name }) {
  const native = /** @type {Record<string, string>} */ (NATIVE)[name]
  return ['procleash', 'child_process', ...(native === undefined ? [] : [native])]
}

/**
 * One host for each way: after a fork, the next write to each page of the host is a fault, which would slow down
 * whatever comes after it in the same process.
 *
 * @param {Runtime} runtime
 * @param {number} memory
 */
async function openCalls(runtime, memory) {
  const names = startersOf(runtime)
  const needed = names.length * (memory + 200) * 2 ** 20
  if (needed * 1.2 > availableMemory()) {
    const reason = `needs ${(needed / 2 ** 30).toFixed(0)} GiB of free memory`
    return { entrants: [], absent: names.map((name) => ({ name, reason })) }
  }
  const file = compiled('fixtures/stamp.c')
  const stamps = temporaryPath('stamps')
  const hosts = names.map((name) => ({ name, host: startHost(runtime, 'spawn-host.mjs') }))
  for (const { name, host } of hosts) {
    await host.ask('fill', { bytes: memory * 2 ** 20 })
    for (let call = 0; call < WARM_UP; call++) await host.ask('one', { by: name, file, stamps })
  }
  return {
    absent: [],
    entrants: hosts.map(({ name, host }) => ({
      name,
      async measure() {
        if (existsSync(stamps)) rmSync(stamps)
        for (let call = 0; call < RUN_UP; call++) await host.ask('one', { by: name, file, stamps })
        return host.ask('one', { by: name, file, stamps })
      },
    })),
    close: () => Promise.all(hosts.map(({ host }) => host.end())),
  }
}

/**
 * @param {Runtime} runtime
 * @param {number} width
 * @param {number} count
 */
async function openRate(runtime, width, count) {
  const hosts = startersOf(runtime).map((name) => ({ name, host: startHost(runtime, 'spawn-host.mjs') }))
  return {
    absent: [],
    entrants: hosts.map(({ name, host }) => ({
      name,
      measure: () => host.ask('rate', { by: name, file: 'true', count, width }),
    })),
    close: () => Promise.all(hosts.map(({ host }) => host.end())),
  }
}
