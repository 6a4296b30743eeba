// Builds the fuzz targets, in two forms: with libFuzzer, to look for faults, and with a main program, to replay inputs.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

export const TARGETS = ['stat', 'children', 'environ', 'cgroup', 'births', 'spawn', 'lease', 'reply']
export const corpusFolder = join(root, 'test/fuzz/corpus')

/** Node-API's glue, and what test/fuzz/proc.cc includes. */
const LEFT_OUT = /^(addon\/(module|call|napi_values|\w+_calls|probe|environment)|core\/cgroup)\.cc$/

const FLAGS = [
  '-std=c++20',
  '-g',
  '-O1',
  '-fno-exceptions',
  '-fno-rtti',
  '-fno-omit-frame-pointer',
  '-fno-sanitize-recover=all',
  '-DNAPI_VERSION=8',
  '-DPROCLEASH_VERSION="0.0.0"',
]

/**
 * Gives the program's path. Builds only what is older than any source.
 *
 * @param {'fuzzer' | 'replay'} form
 * @returns {Promise<string>}
 */
export async function buildTargets(form) {
  const folder = join(root, 'build/fuzz', form)
  const program = join(folder, form)
  const sources = [
    ...nativeSources(),
    ...['proc.cc', 'wire.cc', `${form}.cc`].map((name) => `test/fuzz/${name}`),
  ]
  if (isCurrent(program)) return program
  mkdirSync(folder, { recursive: true })
  const compiler = form === 'fuzzer' ? 'clang++' : (process.env.CXX ?? 'g++')
  const sanitizers = `-fsanitize=${form === 'fuzzer' ? 'fuzzer,' : ''}address,undefined`
  const includes = ['-I', 'native', '-I', 'test/fuzz', '-isystem', 'node_modules/node-api-headers/include']
  const objects = sources.map((source) => join(folder, `${source.replaceAll('/', '-')}.o`))
  const queue = sources.map((source, index) => [
    ...FLAGS,
    sanitizers,
    ...includes,
    '-c',
    source,
    '-o',
    objects[index] ?? '',
  ])
  const compileAll = async () => {
    for (let args = queue.shift(); args !== undefined; args = queue.shift())
      await run(compiler, args, { cwd: root })
  }
  await Promise.all(Array.from({ length: availableParallelism() }, compileAll))
  await run(compiler, [sanitizers, ...objects, '-o', program], { cwd: root })
  return program
}

function nativeSources() {
  const folders = ['core', 'foreign', 'addon'].flatMap((folder) =>
    readdirSync(join(root, 'native', folder)).map((name) => `${folder}/${name}`),
  )
  return [...folders, 'supervisor/lease.cc']
    .filter((file) => file.endsWith('.cc') && !LEFT_OUT.test(file))
    .map((file) => `native/${file}`)
}

/** @param {string} program */
function isCurrent(program) {
  if (!existsSync(program)) return false
  const built = statSync(program).mtimeMs
  return ['native', 'test/fuzz'].every((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(cc|h|mjs)$/.test(basename(file)))
      .every((file) => statSync(join(root, folder, file)).mtimeMs < built),
  )
}
