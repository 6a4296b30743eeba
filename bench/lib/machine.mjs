// What the figures were measured on.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism, cpus, freemem, loadavg, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { versionOf } from '../contenders/load.mjs'
import { mountPoint } from './cgroup.mjs'

const helper = fileURLToPath(new URL('../../build/Release/procleash-supervisor', import.meta.url))
const manifest = fileURLToPath(new URL('../../package.json', import.meta.url))
const packages = { 'tree-kill': 'tree-kill', execa: 'execa', 'execa-descendants': 'execa10', zx: 'zx' }

/**
 * @typedef {object} Environment
 * @property {string} kind Of the machine, fit for a file's name.
 * @property {string} cpu
 * @property {number} cores
 * @property {number} memory GiB.
 * @property {string} os
 * @property {number} load Average of one minute at the start.
 * @property {boolean} busy Other work was running: the figures are noisy.
 * @property {boolean} cgroup2
 * @property {string} transparentHugePages
 * @property {Record<string, string>} versions
 */

/**
 * @param {readonly import('../../scripts/runtimes.mjs').Runtime[]} runtimes
 * @returns {Environment}
 */
export function describeMachine(runtimes) {
  const cores = availableParallelism()
  const [load = 0] = loadavg()
  const cpu = cpus()[0]?.model.trim() ?? 'unknown CPU'
  const memory = Math.round(totalmem() / 2 ** 30)
  return {
    kind: slug(`${process.arch} ${cores} cores ${memory} GiB ${cpu}`),
    cpu,
    cores,
    memory,
    os: `Linux ${release().replace(/-.*$/, '')}`,
    load,
    busy: load > cores / 4,
    cgroup2: mountPoint() !== undefined,
    transparentHugePages: hugePages(),
    versions: {
      procleash: JSON.parse(readFileSync(manifest, 'utf8')).version,
      helper: describeHelper(helper),
      ...Object.fromEntries(runtimes.map(({ name, version, missing }) => [name, missing ? '' : version])),
      ...Object.fromEntries(Object.entries(packages).map(([name, folder]) => [name, versionOf(folder)])),
      cc: firstLine('cc'),
    },
  }
}

/** @param {Environment} environment */
export function printMachine({ cpu, cores, memory, os, load, busy, cgroup2, versions }) {
  const { procleash, helper: native, cc, ...others } = versions
  console.log(`machine   ${cpu}, ${cores} cores, ${memory} GiB, ${os}`)
  console.log(`load      ${load.toFixed(2)}${busy ? ': the machine is busy, the figures are noisy' : ''}`)
  console.log(`cgroup2   ${cgroup2 ? 'mounted' : 'not mounted'}`)
  console.log(`procleash ${procleash}, helper ${native}`)
  console.log(
    `versions  ${Object.entries(others)
      .map(([name, version]) => `${name} ${version || 'MISSING'}`)
      .join(', ')}`,
  )
  console.log(`tools     bench in Node ${process.versions.node}, ${cc}`)
}

/** Bytes that can be taken without making the machine swap. */
export function availableMemory() {
  const match = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))
  return match === null ? freemem() : Number(match[1]) * 1024
}

/**
 * Its size, and the C library that it was linked with: glibc leaves the names of its symbol versions or of its
 * tunables in a static executable, musl neither.
 *
 * @param {string} file
 */
export function describeHelper(file) {
  if (!existsSync(file)) return 'not built here'
  const { size } = statSync(file)
  const glibc = /GLIBC_|glibc/.test(readFileSync(file, 'latin1'))
  return `${(size / 1000).toFixed(0)} kB with ${glibc ? 'glibc' : 'musl'}`
}

/** @param {string} tool */
function firstLine(tool) {
  return spawnSync(tool, ['--version'], { encoding: 'utf8' }).stdout?.split('\n', 1)[0] ?? `no ${tool}`
}

/** They decide how long a fork of a large process takes. */
function hugePages() {
  const file = '/sys/kernel/mm/transparent_hugepage/enabled'
  if (!existsSync(file)) return 'none'
  return /\[(\w+)\]/.exec(readFileSync(file, 'utf8'))?.[1] ?? 'unknown'
}

/** @param {string} text */
function slug(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
