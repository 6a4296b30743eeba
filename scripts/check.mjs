// Everything that can be checked without running the library: format, lint, types in three runtimes,
// native code. Goes on after a failure, so that one run shows all of them; ends with 1 if any failed.

import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureTool, nativeFiles, root } from './clang.mjs'
import { runtimes } from './runtimes.mjs'
import { unshadowNode } from './user-node.mjs'

/** @typedef {{ ok: boolean, output: string }} Outcome */

unshadowNode()

const modules = join(root, 'node_modules')
const tsc = join(modules, 'typescript/bin/tsc')
const typeTests = tsFiles('test/types')

/** @type {{ name: string, run: () => Promise<Outcome> }[]} */
const steps = [
  {
    name: 'biome ci',
    run: () => node([join(modules, '@biomejs/biome/bin/biome'), 'ci', '--colors=off', '.']),
  },
  { name: 'tsc', run: () => node([tsc, '-p', 'tsconfig.json']) },
]
if (typeTests.length > 0) {
  steps.push(
    // Deno's libraries are named in deno.json: without that file it would take those of tsconfig.json.
    { name: 'tsc build (for deno check)', run: () => node([tsc, '-p', 'tsconfig.build.json']) },
    { name: 'tsc, types of bun', run: () => node([tsc, '-p', 'tsconfig.bun.json']) },
    { name: 'deno check', run: denoCheck },
    { name: 'tsc, bench', run: () => node([tsc, '-p', 'tsconfig.bench.json']) },
  )
}
steps.push({ name: 'clang-format', run: clangFormat }, { name: 'clang-tidy', run: clangTidy })

const failed = []
for (const step of steps) {
  const started = performance.now()
  const { ok, output } = await step.run().catch((error) => ({ ok: false, output: String(error.message) }))
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${step.name} (${seconds} s)`)
  if (!ok) {
    failed.push(step.name)
    console.log(output.trimEnd().replaceAll(/^/gm, '     '))
  }
}
console.log(failed.length === 0 ? 'check: all passed' : `check: failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

/** @param {string} folder */
function tsFiles(folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`)
}

/**
 * As a user's project would: the package lies in node_modules. A link to it will not do, and in a package's own
 * folder Deno takes the JavaScript for the types.
 */
async function denoCheck() {
  const deno = runtimes().find((runtime) => runtime.name === 'deno')
  if (!deno || deno.missing !== undefined) return { ok: false, output: `deno: ${deno?.missing}` }
  const project = mkdtempSync(join(tmpdir(), 'procleash-deno-check-'))
  try {
    const installed = join(project, 'node_modules/procleash')
    for (const part of ['package.json', 'dist']) {
      cpSync(join(root, part), join(installed, part), { recursive: true })
    }
    cpSync(join(modules, '@types/node'), join(project, 'node_modules/@types/node'), { recursive: true })
    cpSync(join(modules, 'undici-types'), join(project, 'node_modules/undici-types'), { recursive: true })
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'deno.json'), 'utf8'))
    writeFileSync(join(project, 'deno.json'), JSON.stringify({ nodeModulesDir: 'manual', compilerOptions }))
    writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module' }))
    const files = typeTests.filter((file) => !file.endsWith('.bun.ts'))
    for (const file of files) cpSync(join(root, file), join(project, file))
    return await run(deno.command, ['check', '--quiet', '--no-lock', ...files], project)
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

async function clangFormat() {
  const files = nativeFiles('all')
  if (files.length === 0) return { ok: true, output: '' }
  ensureTool('clang-format')
  return run('clang-format', ['--dry-run', '-Werror', ...files])
}

/** One clang-tidy for each file, as many at once as there are cores: it is the slowest step by far. */
async function clangTidy() {
  const files = nativeFiles('units')
  if (files.length === 0) return { ok: true, output: '' }
  ensureTool('clang-tidy')
  /** @type {Outcome[]} */
  const outcomes = []
  const queue = [...files]
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      outcomes.push(await run('clang-tidy', ['--quiet', file, '--', ...compileFlags(file)]))
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  const bad = outcomes.filter((outcome) => !outcome.ok)
  return { ok: bad.length === 0, output: bad.map((outcome) => outcome.output).join('\n') }
}

/** @param {string} file */
function compileFlags(file) {
  const language = file.endsWith('.c') ? ['-std=c17'] : ['-std=c++20', '-fno-exceptions', '-fno-rtti']
  // As system headers, so that their warnings aren't ours.
  return [
    ...language,
    '-DNAPI_VERSION=8',
    '-DPROCLEASH_VERSION="0.0.0"',
    '-I',
    'native',
    '-isystem',
    nodeHeaders(),
  ]
}

/** Node-API headers: the npm package, else those of npm's nodedir, else those beside the running Node. */
function nodeHeaders() {
  const nodedir = process.env.npm_config_nodedir
  const places = [
    join(modules, 'node-api-headers/include'),
    ...(nodedir === undefined ? [] : [join(nodedir, 'include/node')]),
    join(process.execPath, '../../include/node'),
  ]
  return places.find((place) => existsSync(join(place, 'node_api.h'))) ?? ''
}

/** @param {string[]} args */
function node(args) {
  return run(process.execPath, args)
}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<Outcome>}
 */
function run(command, args, cwd = root) {
  return new Promise((resolve) => {
    // FORCE_COLOR goes: Deno obeys it whatever its value.
    const { FORCE_COLOR: _, ...inherited } = process.env
    const env = { ...inherited, NO_COLOR: '1' }
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (data) => {
      output += data
    })
    child.stderr.on('data', (data) => {
      output += data
    })
    child.on('error', (error) => resolve({ ok: false, output: `${command}: ${error.message}` }))
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}
