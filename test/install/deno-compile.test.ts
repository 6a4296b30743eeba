// What `deno compile` makes of a program with procleash. It puts its runtime, denort, below the program, and downloads that
// from a host of its own: what the made program does is tested where DENORT_BIN names one.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { makeFolder } from '../support/suite.js'
import { itNeeds } from '../support/tools.js'
import { runtimeNamed } from './support/places.js'
import { expectReal, installedProject, type Project, runIn } from './support/project.js'

const MEMORY = '/memfd:procleash-supervisor (deleted)'
const deno = runtimeNamed('deno').command
const prebuilds = `node_modules/procleash/prebuilds`

/** As if by `deno compile`: its own folder then seems to be where the package is. */
const pretend = `
Object.defineProperty(globalThis, 'Deno', { value: { ...Deno, build: { ...Deno.build, standalone: true } } })
`
const whichAddon = `
import { readFileSync } from 'node:fs'
import { capabilities } from 'procleash'
capabilities()
console.log(/\\S*\\/(\\S*\\/\\S*\\/procleash\\.node)/.exec(readFileSync('/proc/self/maps', 'utf8'))[1])
`

describe('deno compile', () => {
  guardEachTest()
  let project: Project
  beforeEach(() => {
    project = installedProject('deno-compile')
  })

  it('the addon is in the file, with the helper that it carries', async () => {
    const addon = readFileSync(join(project.folder, prebuilds, `linux-${process.arch}/procleash.node`))
    // Any executable will do to look into what is put behind it.
    const file = await compile('/bin/true', 'with')
    expect(readFileSync(file).includes(addon)).toBe(true)
    const without = await compile('/bin/true', 'without', `--exclude=${prebuilds}`)
    expect(readFileSync(without).includes(addon), 'control: left out').toBe(false)
  })

  itNeeds(['denort'], 'one file in an empty folder', async () => {
    const file = await compile(process.env.DENORT_BIN ?? '', 'app')
    const folder = makeFolder('moved')
    copyFileSync(file, join(folder, 'app'))
    const { keeper } = await expectReal({ folder }, [join(folder, 'app')])
    expect(keeper).toBe(MEMORY)
  })

  it('runs the helper from memory, never from where its own folder seems to be', async () => {
    writeFileSync(join(project.folder, 'pretend.mjs'), pretend)
    const run = [deno, 'run', '--quiet', '--no-prompt', '--allow-ffi=node_modules/procleash']
    const { keeper } = await expectReal(project, [...run, '--preload=pretend.mjs', 'real.mjs'])
    expect(keeper).toBe(MEMORY)
    const plain = await expectReal(project, [...run, 'real.mjs'])
    expect(plain.keeper, 'control').toContain(`/${prebuilds}/`)
  })

  it('loads no addon but the embedded one', async () => {
    writeFileSync(join(project.folder, 'pretend.mjs'), pretend)
    writeFileSync(join(project.folder, 'which.mjs'), whichAddon)
    const built = join(project.installed, 'build/Release')
    mkdirSync(built, { recursive: true })
    const addon = join(project.folder, prebuilds, `linux-${process.arch}/procleash.node`)
    copyFileSync(addon, join(built, 'procleash.node'))
    const run = [deno, 'run', '--quiet', '--allow-all']
    const { stdout, stderr } = await runIn(project, [...run, '--preload=pretend.mjs', 'which.mjs'])
    expect(stdout, stderr).toBe(`prebuilds/linux-${process.arch}/procleash.node\n`)
    const plain = await runIn(project, [...run, 'which.mjs'])
    expect(plain.stdout, 'control').toBe('build/Release/procleash.node\n')
  })

  /** @returns the path of the file. */
  async function compile(denort: string, name: string, ...options: readonly string[]): Promise<string> {
    const argv = [deno, 'compile', '--quiet', '--no-check', '--allow-ffi', ...options]
    const { code, stderr } = await runIn(project, [...argv, '--output', name, 'real.mjs'], {
      env: { DENORT_BIN: denort },
    })
    expect(code, stderr).toBe(0)
    return join(project.folder, name)
  }
})
