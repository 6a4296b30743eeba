// npm run test:sanitize -- [--thread] [TEST FILE OR FOLDER]...
// The suite, or a part of it, with Node 24 as the host and native code with the address sanitizer and the one of undefined
// behaviour; with --thread the addon with the thread sanitizer. Works in a copy of the built tree, build/Sanitize, so that
// the usual build stays as it is. Fails where a test does, or where a sanitizer has said anything.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nativeFiles, root } from './clang.mjs'

const { values, positionals } = parseArgs({
  options: { thread: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const mode = values.thread ? 'thread' : 'address'
/** Where a fault would hurt most. All of it is `test`. */
const USUAL = ['stop', 'escape', 'pipes', 'guarantees', 'result', 'foreign'].map((name) => `test/${name}`)

const ADDON = /native\/(core|foreign|addon)\//
const HELPER_ONLY = /foreign\/(recorder|process_events)\.cc$|core\/spawn\.cc$/

const tree = join(root, 'build/Sanitize', mode)
const reports = join(tree, 'reports')
const compiler = process.env.CXX ?? 'g++'
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

copyTree()
build()
const failed = runTests() !== 0
const said = readdirSync(reports)
for (const name of said) console.log(`\n${name}\n${readFileSync(join(reports, name), 'utf8')}`)
console.log(`${mode} sanitizer: ${said.length} reports, the tests ${failed ? 'FAILED' : 'passed'}`)
process.exitCode = failed || said.length > 0 ? 1 : 0

function copyTree() {
  rmSync(tree, { recursive: true, force: true })
  mkdirSync(join(tree, 'build/Release'), { recursive: true })
  mkdirSync(reports, { mode: 0o777 })
  for (const name of [
    'dist',
    'src',
    'bindings',
    'test',
    'scripts',
    'package.json',
    'vitest.config.ts',
    'vitest.group.config.ts',
  ]) {
    cpSync(join(root, name), join(tree, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
}

function build() {
  const flags = [
    '-std=c++20',
    '-g',
    '-O1',
    '-fno-exceptions',
    '-fno-rtti',
    '-fno-omit-frame-pointer',
    '-I',
    'native',
  ]
  const common = [...flags, `-DPROCLEASH_VERSION="${version}"`, '-DNAPI_VERSION=8', '-fno-threadsafe-statics']
  const sanitizers = mode === 'thread' ? ['-fsanitize=thread'] : ['-fsanitize=address,undefined']
  const sources = nativeFiles('units')
  const target = (/** @type {string} */ name) => join(tree, 'build/Release', name)
  // One thread each: the thread sanitizer has nothing to look at in these.
  const single = mode === 'thread' ? [] : sanitizers
  const helper = sources.filter((file) => /native\/(core|foreign|supervisor)\//.test(file))
  compile([...common, ...single, ...helper, '-o', target('procleash-supervisor')])
  // It carries the helper.
  const addon = sources.filter((file) => ADDON.test(file) && !HELPER_ONLY.test(file))
  compile([
    ...common,
    ...sanitizers,
    ...['-shared', '-fPIC', '-fvisibility=hidden', '-isystem', 'node_modules/node-api-headers/include'],
    ...[...addon, 'native/addon/helper_bytes.S', `-Wa,-I${join(tree, 'build/Release')}`],
    ...['-Wl,-z,nodelete', '-o', target('procleash.node')],
  ])
  const init = sources.filter((file) => /native\/(core|init)\/|supervisor\/(stop|tree)\.cc$/.test(file))
  compile([...common, ...single, ...init, '-o', target('procleash-init')])
}

/** @param {string[]} args */
function compile(args) {
  const { status, stderr } = spawnSync(compiler, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${compiler} failed:\n${stderr}`)
}

function runTests() {
  const library = (/** @type {string} */ name) =>
    spawnSync(compiler, [`-print-file-name=lib${name}.so`], { encoding: 'utf8' }).stdout.trim()
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', tree]
  const parts = positionals.length > 0 ? positionals : USUAL
  // The thread sanitizer wants its memory where the kernel's random layout may put something else.
  const [file = '', ...args] = [
    ...(mode === 'thread' ? ['setarch', '-R'] : []),
    ...[process.execPath, ...vitest, '--project=suite', '--maxWorkers=1', ...parts],
  ]
  const common = `log_path=${join(reports, 'report')}`
  const env = {
    ...process.env,
    PROCLEASH_TEST_RUNTIMES: 'node24',
    PROCLEASH_TEST_PRELOAD: library(mode === 'thread' ? 'tsan' : 'asan'),
    // Node frees little at its end: what it leaves says nothing.
    ASAN_OPTIONS: `${common}:detect_leaks=0:quarantine_size_mb=8:abort_on_error=1:handle_segv=0`,
    UBSAN_OPTIONS: `${common}:print_stacktrace=1`,
    TSAN_OPTIONS: `${common}:exitcode=66:report_signal_unsafe=0:ignore_noninstrumented_modules=1`,
  }
  return spawnSync(file, args, { cwd: tree, env, stdio: 'inherit' }).status
}
