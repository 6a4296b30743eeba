// `head -c 2G /dev/zero` read through stdout, against the same runtime's child_process, and the host's peak memory.

import { startHost } from '../lib/host.mjs'
import { printTable } from '../lib/report.mjs'
import { median, medianRatio } from '../lib/statistics.mjs'

/** @typedef {{ bytes: number, seconds: number, idle: number, peak: number }} Read Sizes in kB, but for `bytes`. */

const RUNS = 3
const BYTES = 2 * 2 ** 30
const LEAST_RATIO = 1
const MOST_MEGABYTES = 80
const readers = ['stream', 'byob', 'child_process']
const names = { stream: 'procleash', byob: 'procleash, BYOB', child_process: 'child_process' }

/** @param {import('../quick.mjs').Setting} setting */
export async function benchThroughput({ each }) {
  const lines = []
  for (const runtime of each) {
    /** @type {Record<string, Read[]>} */
    const reads = Object.fromEntries(readers.map((reader) => [reader, []]))
    for (let run = 0; run < RUNS; run++) {
      for (const reader of readers) reads[reader]?.push(await readOnce(runtime, reader))
    }
    lines.push(...Object.entries(names).map(([reader, name]) => line(runtime.name, name, reader, reads)))
  }
  printTable(
    `head -c 2G /dev/zero through stdout: medians of ${RUNS}, child_process in turn`,
    ['host', 'by', 'GB/s', 'ratio', 'peak MB', 'before MB'],
    lines,
  )
}

/**
 * @param {import('../../scripts/runtimes.mjs').Runtime} runtime
 * @param {string} reader
 * @returns {Promise<Read>}
 */
async function readOnce(runtime, reader) {
  const host = startHost(runtime, 'stream-host.mjs')
  const read = await host.ask('measure', { reader, file: 'head', args: ['-c', String(BYTES), '/dev/zero'] })
  await host.end()
  if (read.bytes !== BYTES)
    throw new Error(`${runtime.name}, ${reader}: ${read.bytes} bytes came, not ${BYTES}`)
  return read
}

/**
 * @param {string} host
 * @param {string} name
 * @param {string} reader
 * @param {Record<string, Read[]>} reads
 * @returns {import('../lib/report.mjs').Line}
 */
function line(host, name, reader, reads) {
  const own = reads[reader] ?? []
  const ratio = medianRatio(speeds(own), speeds(reads.child_process ?? []))
  const peak = Math.max(...own.map((read) => read.peak)) / 1000
  const idle = median(own.map((read) => read.idle)) / 1000
  const cells = [
    host,
    name,
    median(speeds(own)).toFixed(2),
    ratio.toFixed(2),
    peak.toFixed(0),
    idle.toFixed(0),
  ]
  if (reader === 'child_process') return { cells }
  const target = `>= ${LEAST_RATIO.toFixed(1)}, < ${MOST_MEGABYTES} MB`
  return { cells, target, met: ratio >= LEAST_RATIO && peak < MOST_MEGABYTES }
}

/** @param {readonly Read[]} reads */
function speeds(reads) {
  return reads.map((read) => read.bytes / read.seconds / 1e9)
}
