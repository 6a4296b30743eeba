// npm run prebuilds: makes prebuilds/linux-x64 and prebuilds/linux-arm64, all on one x64 machine with a Debian.
// Each gets the addon, the helper and procleash-init. The executables are linked with musl, so that they are small and
// need no library; the addon names no library at all, so one file serves glibc and musl.
// The builds have folders of their own: build/, which tests and demo use, stays as it is.

import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, unpackPackages } from './debian.mjs'
import { nodeGyp } from './node-gyp.mjs'
import { unshadowNode } from './user-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(root, '.cache/prebuild')

/**
 * @typedef {object} Target
 * @property {string} arch As Node calls it.
 * @property {string} tools What the names of the compiler and its tools begin with.
 * @property {Record<string, string>} programs Needed, each with its Debian package.
 * @property {() => string} muslCompiler Command that links static executables with musl.
 */

/** @type {readonly Target[]} */
const targets = [
  {
    arch: 'x64',
    tools: 'x86_64-linux-gnu-',
    programs: { 'x86_64-linux-gnu-g++': 'g++', 'musl-gcc': 'musl-tools' },
    muslCompiler: () => 'musl-gcc -x c++ -nostdinc++',
  },
  {
    arch: 'arm64',
    tools: 'aarch64-linux-gnu-',
    programs: { 'aarch64-linux-gnu-g++': 'g++-aarch64-linux-gnu' },
    muslCompiler: () => `aarch64-linux-gnu-g++ -nostdinc++ -specs=${muslForArm64()}`,
  },
]

unshadowNode()
if (process.platform !== 'linux' || process.arch !== 'x64') {
  fail('the prebuilds are made on Linux, x64. For this machine alone: npm run build:native')
}
try {
  const programs = targets.map((target) => target.programs)
  ensureInstalled(Object.assign({ make: 'make', python3: 'python3' }, ...programs))
  for (const target of targets) prebuild(target)
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}

/** @param {Target} target */
function prebuild({ arch, tools, muslCompiler }) {
  const started = performance.now()
  const build = stage(arch)
  nodeGyp(build, {
    args: [`--arch=${arch}`],
    env: {
      CC: `${tools}gcc`,
      CXX: `${tools}g++`,
      LINK: `${tools}g++`,
      AR: `${tools}ar`,
      PROCLEASH_HELPER_CXX: muslCompiler(),
    },
  })
  const output = join(root, `prebuilds/linux-${arch}`)
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  for (const name of ['procleash.node', 'procleash-supervisor', 'procleash-init']) {
    copyFileSync(join(build, 'build/Release', name), join(output, name))
    chmodSync(join(output, name), 0o755)
  }
  run(`${tools}strip`, ['--strip-unneeded', join(output, 'procleash.node')])
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`prebuilds/linux-${arch} done in ${seconds} s`)
}

/**
 * A folder to build in, which has the sources as links.
 *
 * @param {string} arch
 */
function stage(arch) {
  const folder = join(cache, `linux-${arch}`)
  mkdirSync(folder, { recursive: true })
  for (const name of ['binding.gyp', 'native', 'package.json', 'scripts']) {
    rmSync(join(folder, name), { force: true })
    symlinkSync(join(root, name), join(folder, name))
  }
  return folder
}

/**
 * Debian has no musl among its cross compilers, but the library itself for each architecture. Its specs file, with
 * the paths of where it was unpacked.
 */
function muslForArm64() {
  const folder = join(cache, 'musl-arm64')
  unpackPackages(folder, { release: debianRelease(), architecture: 'arm64', packages: ['musl-dev'] })
  const specs = join(folder, 'musl-gcc.specs')
  const original = readFileSync(join(folder, 'usr/lib/aarch64-linux-musl/musl-gcc.specs'), 'utf8')
  writeFileSync(specs, original.replaceAll(/\/usr\/(include|lib)\//g, `${folder}/usr/$1/`))
  return specs
}

function debianRelease() {
  const name = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  if (name === undefined) throw new Error('/etc/os-release names no release of Debian')
  return name
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${command} failed${error ? `: ${error.message}` : ''}`)
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(`procleash: ${message}`)
  process.exit(1)
}
