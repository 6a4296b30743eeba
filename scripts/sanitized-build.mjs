// Builds native code for scripts/sanitize.mjs, in a copy of the tree, so that the usual build stays as it is.

import { execFile, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { nativeFiles, root } from './clang.mjs'

/** @typedef {'address' | 'thread' | 'valgrind'} Tool */

const compiler = process.env.CXX ?? 'g++'
const run = promisify(execFile)

const ADDON = /native\/(core|foreign|addon)\//
const HELPER_ONLY = /foreign\/(recorder|process_events)\.cc$|core\/spawn\.cc$/
const HELPER = /native\/(core|foreign|supervisor)\//
const INIT = /native\/(core|init)\/|supervisor\/(stop|tree)\.cc$/

/** What is not copied: it is large, made anew, or linked. */
const LEFT_OUT = ['.git', 'build', 'node_modules', 'prebuilds']

/**
 * The path of a sanitizer's library, or undefined where the compiler has none.
 *
 * @param {'address' | 'thread'} sanitizer
 */
export function sanitizerLibrary(sanitizer) {
  const name = { address: 'asan', thread: 'tsan' }[sanitizer]
  const { stdout } = spawnSync(compiler, [`-print-file-name=lib${name}.so`], { encoding: 'utf8' })
  const path = (stdout ?? '').trim()
  return isAbsolute(path) ? path : undefined
}

/**
 * Copies the tree, its JavaScript as built. What was compiled there and is newer than all sources stays.
 *
 * @param {string} tree
 */
export function copyTree(tree) {
  for (const name of existsSync(tree) ? readdirSync(tree) : [])
    if (name !== 'build') rmSync(join(tree, name), { recursive: true, force: true })
  mkdirSync(join(tree, 'build/Release'), { recursive: true })
  for (const name of readdirSync(root)) {
    if (!LEFT_OUT.includes(name)) cpSync(join(root, name), join(tree, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
}

/**
 * Addon, helper and init into `tree`/build/Release.
 *
 * @param {string} tree
 * @param {Tool} tool
 */
export async function buildSanitized(tree, tool) {
  const target = (/** @type {string} */ name) => join(tree, 'build/Release', name)
  if (isCurrent(target('built-with'))) return
  rmSync(target('built-with'), { force: true })
  const sources = nativeFiles('units')
  const address = ['-fsanitize=address,undefined']
  // One thread each: the thread sanitizer has nothing to look at in these.
  const single = tool === 'address' ? address : []
  const inAddon = { address, thread: ['-fsanitize=thread'], valgrind: [] }[tool]
  const helper = compile([
    ...single,
    ...sources.filter((file) => HELPER.test(file)),
    ...['-o', target('procleash-supervisor')],
  ])
  const init = compile([
    ...single,
    ...sources.filter((file) => INIT.test(file)),
    ...['-o', target('procleash-init')],
  ])
  // The addon carries the helper.
  await helper
  await compile([
    ...inAddon,
    ...['-shared', '-fPIC', '-fvisibility=hidden', '-isystem', 'node_modules/node-api-headers/include'],
    ...sources.filter((file) => ADDON.test(file) && !HELPER_ONLY.test(file)),
    ...['native/addon/helper_bytes.S', `-Wa,-I${join(tree, 'build/Release')}`],
    ...['-Wl,-z,nodelete', '-o', target('procleash.node')],
  ])
  await init
  writeFileSync(target('built-with'), compiler)
}

/**
 * Whether the last build was by this compiler, and is newer than all sources.
 *
 * @param {string} stamp
 */
function isCurrent(stamp) {
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== compiler) return false
  const built = statSync(stamp).mtimeMs
  const sources = [...nativeFiles('all'), 'scripts/sanitized-build.mjs', 'package.json']
  return sources.every((file) => statSync(join(root, file)).mtimeMs < built)
}

/** @param {readonly string[]} args */
async function compile(args) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const flags = [
    ...['-std=c++20', '-g', '-O1', '-fno-exceptions', '-fno-rtti', '-fno-omit-frame-pointer'],
    ...['-fno-threadsafe-statics', '-I', 'native', `-DPROCLEASH_VERSION="${version}"`, '-DNAPI_VERSION=8'],
  ]
  await run(compiler, [...flags, ...args], { cwd: root })
}
