// What the figures were measured on.

import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { mountPoint } from './cgroup.mjs'

const helper = fileURLToPath(new URL('../../build/Release/procleash-supervisor', import.meta.url))
const manifest = fileURLToPath(new URL('../../package.json', import.meta.url))

/** @param {readonly import('../../scripts/runtimes.mjs').Runtime[]} runtimes */
export function printMachine(runtimes) {
  const cores = availableParallelism()
  const [load = 0] = loadavg()
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`
  console.log(`machine   ${cpus()[0]?.model ?? 'unknown CPU'}, ${cores} cores, ${memory}, Linux ${release()}`)
  console.log(
    `load      ${load.toFixed(2)}${load > cores / 4 ? ': the machine is busy, the figures are noisy' : ''}`,
  )
  console.log(`cgroup2   ${mountPoint() ?? 'not mounted'}`)
  console.log(
    `procleash ${JSON.parse(readFileSync(manifest, 'utf8')).version}, helper ${describeHelper(helper)}`,
  )
  console.log(
    `runtimes  ${runtimes.map(({ name, version, missing }) => `${name} ${missing ? 'MISSING' : version}`).join(', ')}`,
  )
  console.log(`tools     bench in Node ${process.versions.node}, ${firstLine('cc')}, ${firstLine('bash')}`)
}

/**
 * Its size, and the C library that it was linked with: glibc leaves the names of its symbol versions or of its
 * tunables in a static executable, musl neither.
 *
 * @param {string} file
 */
export function describeHelper(file) {
  const { size } = statSync(file)
  const glibc = /GLIBC_|glibc/.test(readFileSync(file, 'latin1'))
  return `${(size / 1000).toFixed(0)} kB with ${glibc ? 'glibc' : 'musl'}`
}

/** @param {string} tool */
function firstLine(tool) {
  return spawnSync(tool, ['--version'], { encoding: 'utf8' }).stdout?.split('\n', 1)[0] ?? `no ${tool}`
}
