// Builds addon and helper with the fault layer into build/Faults, beside a copy of the built JavaScript. The usual build
// is not touched, and nothing of this is ever shipped.

import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CALLS, WRAPPED } from './calls.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const tree = join(root, 'build/Faults')
const run = promisify(execFile)

/** The library that a host of a fault run imports. */
export const library = join(tree, 'dist/src/index.js')

/** Builds what is older than any of its sources. Needs the usual build to be done. */
export async function buildFaults() {
  mkdirSync(join(tree, 'build/Release'), { recursive: true })
  const target = (/** @type {string} */ name) => join(tree, 'build/Release', name)
  const addon = target('procleash.node')
  // Another run may be reading it.
  if (isCurrent(addon)) return
  for (const name of ['dist', 'package.json']) {
    cpSync(join(root, name), join(tree, name), { recursive: true })
  }
  const enumerators = [...CALLS.map((call) => `kCall_${call}`), 'kCallCount']
  writeFileSync(join(tree, 'calls.h'), `#pragma once\nenum Call { ${enumerators.join(', ')} };\n`)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const common = [
    ...['-std=c++20', '-O1', '-fno-exceptions', '-fno-rtti', '-fno-threadsafe-statics'],
    ...['-I', 'native', '-I', tree, `-DPROCLEASH_VERSION="${version}"`, '-DNAPI_VERSION=8'],
    ...WRAPPED.map((call) => `-Wl,--wrap=${call}`),
    'test/faults/layer.cc',
  ]
  const helper = ['core', 'foreign', 'supervisor'].flatMap(sources)
  await run(compiler, [...common, '-static', ...helper, '-o', target('procleash-supervisor')], { cwd: root })
  const parts = ['core', 'foreign', 'addon']
    .flatMap(sources)
    .filter((file) => !/core\/spawn|foreign\/(recorder|process_events)/.test(file))
  await run(
    compiler,
    [
      ...[...common, '-DPROCLEASH_FAULT_HOST', '-shared', '-fPIC', '-fvisibility=hidden'],
      ...['-isystem', 'node_modules/node-api-headers/include', ...parts, 'native/addon/helper_bytes.S'],
      ...[`-Wa,-I${join(tree, 'build/Release')}`, '-Wl,-z,nodelete', '-o', addon],
    ],
    { cwd: root },
  )
}

const compiler = process.env.CXX ?? 'g++'

/** @param {string} folder */
function sources(folder) {
  return readdirSync(join(root, 'native', folder))
    .filter((file) => file.endsWith('.cc'))
    .map((file) => `native/${folder}/${file}`)
}

/** @param {string} program */
function isCurrent(program) {
  if (!existsSync(program)) return false
  const built = statSync(program).mtimeMs
  return ['native', 'dist', 'test/faults'].every((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(cc|h|S|js)$|(calls|build)\.mjs$/.test(file))
      .every((file) => statSync(join(root, folder, file)).mtimeMs < built),
  )
}
