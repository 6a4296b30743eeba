// Streams: bytes a second with the host's memory, and one line there and back, for one command and for fifty at once.

import { startHost } from '../lib/host.mjs'
import { startersOf } from './spawn.mjs'

/** @typedef {import('../../scripts/runtimes.mjs').Runtime} Runtime */

const HOST = 'pipe-host.mjs'
/** Of all commands together. */
const BYTES = 512 * 2 ** 20
const WIDTHS = [1, 50]
/** What each way to read is called in results: procleash has two. */
const READERS = { procleash: 'stream', 'procleash-byob': 'byob' }

/**
 * @param {import('./index.mjs').Choice} choice
 * @returns {import('../lib/run.mjs').Group[]}
 */
export function streams({ main, each, quick }) {
  return each.flatMap((runtime) => {
    if (quick && runtime !== main) return []
    const few = quick ? 5 : 30
    return WIDTHS.flatMap((width) => [
      {
        part: 'streams',
        runtime,
        case: { width },
        seconds: quick ? 5 : 18,
        goal: { metric: 'rate', rounds: few, fastRounds: few },
        open: () => openReads(runtime, width, quick ? BYTES / 4 : BYTES),
      },
      {
        part: 'echo',
        runtime,
        case: { width },
        seconds: quick ? 2 : 5,
        goal: { metric: 'trip', rounds: quick ? 20 : 100, fastRounds: quick ? 20 : 100 },
        open: () => openEchoes(runtime, width),
      },
    ])
  })
}

/**
 * @param {Runtime} runtime
 * @param {number} width
 * @param {number} bytes
 */
async function openReads(runtime, width, bytes) {
  const [ours, ...theirs] = startersOf(runtime)
  const hosts = [ours, 'procleash-byob', ...theirs].map((name) => ({
    name: name ?? '',
    host: startHost(runtime, HOST),
  }))
  return {
    absent: [],
    entrants: hosts.map(({ name, host }) => ({
      name,
      measure: () =>
        host.ask('read', {
          reader: /** @type {Record<string, string>} */ (READERS)[name] ?? name,
          bytes: Math.ceil(bytes / width),
          width,
        }),
    })),
    close: () => Promise.all(hosts.map(({ host }) => host.end())),
  }
}

/**
 * @param {Runtime} runtime
 * @param {number} width
 */
async function openEchoes(runtime, width) {
  const hosts = startersOf(runtime).map((name) => ({ name, host: startHost(runtime, HOST) }))
  for (const { name, host } of hosts) await host.ask('openEchoes', { by: name, width })
  return {
    absent: [],
    entrants: hosts.map(({ name, host }) => ({ name, measure: () => host.ask('echo') })),
    async close() {
      await Promise.all(hosts.map(({ host }) => host.ask('closeEchoes')))
      await Promise.all(hosts.map(({ host }) => host.end()))
    },
  }
}
