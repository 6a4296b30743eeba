// What the prebuilt files ask of the system that they run on: nothing that glibc 2.28 or musl doesn't have.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { symbols } from 'node-api-headers'
import { describe, expect, it } from 'vitest'
import { dynamicSymbols, header, neededLibraries } from './support/elf.js'
import { root } from './support/places.js'
import { packageVersion } from './support/project.js'
import { muslBun, oldGlibcFiles, whyNoOtherSystems } from './support/systems.js'

const napi = new Set([...symbols.v8.js_native_api_symbols, ...symbols.v8.node_api_symbols])
const reason = whyNoOtherSystems()

const targets = [
  { arch: 'x64', machine: 'Advanced Micro Devices X86-64' },
  { arch: 'arm64', machine: 'AArch64' },
]

function fileOf(arch: string, name: string): string {
  return join(root, `prebuilds/linux-${arch}`, name)
}

/** What the addon wants from whoever loads it. */
function wantedBy(arch: string): string[] {
  const found = dynamicSymbols(fileOf(arch, 'procleash.node'))
  return found.filter(({ defined }) => !defined).map(({ name }) => name)
}

const ofTheLibrary = (name: string) => !name.startsWith('napi_')

describe.for(targets)('$arch', ({ arch, machine }) => {
  it('the addon names no library and no version', () => {
    const file = fileOf(arch, 'procleash.node')
    expect(header(file).machine).toBe(machine)
    expect(neededLibraries(file)).toEqual([])
    expect(dynamicSymbols(file).filter(({ version }) => version !== '')).toEqual([])
  })

  it('the addon is content with Node-API 8', () => {
    const wanted = wantedBy(arch).filter((name) => !ofTheLibrary(name))
    expect(wanted.length).toBeGreaterThan(10)
    expect(wanted.filter((name) => !napi.has(name))).toEqual([])
  })

  it.for(['procleash-supervisor', 'procleash-init'])('%s is static', (name) => {
    const file = fileOf(arch, name)
    expect(header(file)).toEqual({ machine, interpreter: false })
    expect(neededLibraries(file)).toEqual([])
  })

  it('the addon carries the helper that lies beside it', () => {
    const helper = readFileSync(fileOf(arch, 'procleash-supervisor'))
    expect(readFileSync(fileOf(arch, 'procleash.node')).includes(helper)).toBe(true)
  })

  it.for(['procleash.node', 'procleash-supervisor', 'procleash-init'])(
    '%s tells nothing of where it was built',
    (name) => {
      const bytes = readFileSync(fileOf(arch, name))
      expect(bytes.includes(root)).toBe(false)
      expect(bytes.includes(packageVersion())).toBe(true)
    },
  )
})

describe.skipIf(reason !== undefined)(
  `the C library${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    // Of arm64 too, whose libraries have the same names: gcc calls there what it inlines for x64.
    const wanted = [...new Set(targets.flatMap(({ arch }) => wantedBy(arch)))].filter(ofTheLibrary)

    it('glibc 2.28 has all that the addon wants', () => {
      const since = new Map<string, number>()
      for (const { name, version, defined } of oldGlibcFiles().flatMap(dynamicSymbols)) {
        const minor = /^GLIBC_2\.(\d+)/.exec(version)?.[1]
        if (defined && minor !== undefined)
          since.set(name, Math.min(since.get(name) ?? Infinity, Number(minor)))
      }
      expect(wanted.filter((name) => !((since.get(name) ?? Infinity) <= 28))).toEqual([])
      expect(since.get('gettid'), 'a control: newer than that').toBe(30)
    })

    it('musl has all that the addon wants', () => {
      const offered = new Set(
        dynamicSymbols(muslBun().libc)
          .filter(({ defined }) => defined)
          .map(({ name }) => name),
      )
      expect(wanted.filter((name) => !offered.has(name))).toEqual([])
      expect(offered.has('fcntl64'), 'a control: glibc alone has it').toBe(false)
    })
  },
)

it('the command-line tools start', () => {
  for (const name of ['procleash-supervisor', 'procleash-init']) {
    const said = execFileSync(fileOf('x64', name), ['--version'], { encoding: 'utf8' })
    expect(said).toBe(`${name} ${packageVersion()}\n`)
  }
})
