// The runtimes that tests, demo and benchmarks use as hosts: the binaries inside node_modules, by file.
// Never by PATH or node_modules/.bin: `node` there may be any of them. Never through the `bun` and
// `deno` packages' own launchers: those need a postinstall script, which npm may have been told to skip.

import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @typedef {'node20' | 'node22' | 'node24' | 'bun' | 'deno'} RuntimeName */

/**
 * @typedef {object} Runtime
 * @property {RuntimeName} name
 * @property {string} command Absolute path of the binary; '' when missing.
 * @property {string[]} args Go before the script's path.
 * @property {string} version As the package says, e.g. '20.20.2'; '' when missing.
 * @property {string} [missing] Why there is no such runtime here. Callers must report it, not skip it silently.
 */

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
const bunArch = process.arch === 'arm64' ? 'aarch64' : process.arch

/** @type {Record<RuntimeName, { args: string[], files: { pkg: string, file: string }[] }>} */
const places = {
  node20: { args: [], files: [{ pkg: 'node20', file: 'bin/node' }] },
  node22: { args: [], files: [{ pkg: 'node22', file: 'bin/node' }] },
  node24: { args: [], files: [{ pkg: 'node24', file: 'bin/node' }] },
  bun: {
    args: ['run'],
    files: [
      { pkg: `@oven/bun-linux-${bunArch}`, file: 'bin/bun' },
      { pkg: `@oven/bun-linux-${bunArch}-musl`, file: 'bin/bun' },
      // Where bun's postinstall script moves the binary to, if it ran.
      { pkg: 'bun', file: 'bin/bun.exe' },
    ],
  },
  deno: {
    args: ['run', '--quiet', '--no-lock', '--no-config', '-A'],
    files: [{ pkg: `@deno/linux-${process.arch}-glibc`, file: 'deno' }],
  },
}

/**
 * All five runtimes, always: one that can't be used has `missing` set.
 *
 * @returns {Runtime[]}
 */
export function runtimes() {
  const names = /** @type {RuntimeName[]} */ (Object.keys(places))
  return names.map(resolve)
}

/**
 * What runs a runtime as a host. In a run of scripts/sanitize.mjs with the sanitizer's library, which has to be there
 * before the addon: in the runtime alone, neither in what starts it nor in what it starts.
 *
 * @template {{ command: string, args: readonly string[] }} R
 * @param {R} runtime
 * @returns {R}
 */
export function asHost(runtime) {
  const preload = process.env.PROCLEASH_TEST_PRELOAD
  if (preload === undefined) return runtime
  const forget = 'delete process.env.LD_PRELOAD; delete process.env.NODE_OPTIONS'
  const options = `--import=data:text/javascript,${encodeURIComponent(forget)}`
  const variables = [`LD_PRELOAD=${preload}`, `NODE_OPTIONS=${options}`]
  return { ...runtime, command: 'env', args: [...variables, runtime.command, ...runtime.args] }
}

/**
 * @param {RuntimeName} name
 * @returns {Runtime}
 */
function resolve(name) {
  const { args, files } = places[name]
  const reasons = []
  for (const { pkg, file } of files) {
    const command = join(modules, pkg, file)
    const reason = unusable(command)
    if (reason === undefined) return { name, command, args: [...args], version: packageVersion(pkg) }
    reasons.push(`${pkg}/${file}: ${reason}`)
  }
  return { name, command: '', args: [...args], version: '', missing: reasons.join('; ') }
}

/**
 * ELF is asked for because bun's package ships a text file in the binary's place until its postinstall ran.
 *
 * @param {string} command
 * @returns {string | undefined}
 */
function unusable(command) {
  if (!existsSync(command)) return 'not installed'
  try {
    accessSync(command, constants.X_OK)
    const head = Buffer.alloc(4)
    const fd = openSync(command, 'r')
    readSync(fd, head, 0, 4, 0)
    closeSync(fd)
    return head.toString('latin1') === '\x7fELF' ? undefined : 'not a binary'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** @param {string} pkg */
function packageVersion(pkg) {
  return String(JSON.parse(readFileSync(join(modules, pkg, 'package.json'), 'utf8')).version)
}
