// What bundlers make of a program with procleash, run where there is no node_modules any more.

import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { makeFolder } from '../support/suite.js'
import { itNeeds } from '../support/tools.js'
import { withMount } from './support/namespaces.js'
import { runtimeNamed, tool } from './support/places.js'
import { expectReal, installedProject, type Project, runIn } from './support/project.js'

const MEMORY = '/memfd:procleash-supervisor (deleted)'
const esbuild = tool(`@esbuild/linux-${process.arch}/bin/esbuild`)
const esbuildOptions = ['--bundle', '--platform=node', '--loader:.node=copy', '--outdir=out']
const node = runtimeNamed('node22').command
const bun = runtimeNamed('bun').command

describe('a bundle', () => {
  guardEachTest()
  let project: Project
  beforeEach(() => {
    project = installedProject('bundle')
  })

  it('bun build --compile: one file in an empty folder', async () => {
    await make([bun, 'build', '--compile', 'real.mjs', '--outfile', 'out/app'])
    const folder = moveOut('out')
    expect(readdirSync(folder)).toEqual(['app'])
    const { keeper, helper } = await expectReal({ folder }, [join(folder, 'app')])
    expect([keeper, helper]).toEqual([MEMORY, ''])
  })

  itNeeds(
    ['mount-namespace'],
    'bun build --compile, and no temporary folder to load from: says so',
    async () => {
      await make([bun, 'build', '--compile', 'real.mjs', '--outfile', 'out/app'])
      const folder = moveOut('out')
      const temporary = makeFolder('noexec')
      const env = { TMPDIR: temporary, BUN_TMPDIR: temporary }
      const refused = withMount('empty, noexec', temporary, [join(folder, 'app')])
      const { code, stderr } = await runIn({ folder }, refused, { env })
      expect(code).not.toBe(0)
      expect(stderr).toContain('Set TMPDIR to a folder that is not mounted noexec')
    },
  )

  it('esbuild, an ES module', async () => {
    const banner =
      "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
    await make([
      esbuild,
      'real.mjs',
      ...esbuildOptions,
      '--format=esm',
      `--banner:js=${banner}`,
      '--out-extension:.js=.mjs',
    ])
    const { keeper } = await expectReal({ folder: moveOut('out') }, [node, 'real.mjs'])
    expect(keeper).toBe(MEMORY)
  })

  it('esbuild, CommonJS', async () => {
    // That format has no await at the top.
    writeFileSync(
      join(project.folder, 'main.mjs'),
      "import { run } from 'procleash'\nrun('echo', ['x']).then((r) => console.log(r.settlement.outcome))\n",
    )
    await make([esbuild, 'main.mjs', ...esbuildOptions, '--format=cjs', '--out-extension:.js=.cjs'])
    const { stdout, stderr } = await runIn({ folder: moveOut('out') }, [node, 'main.cjs'])
    expect(stdout, stderr).toBe('empty\n')
  })

  it('rollup, with the package beside the bundle', async () => {
    await make([
      node,
      tool('rollup/dist/bin/rollup'),
      'real.mjs',
      '--external',
      'procleash',
      '--format',
      'es',
      '--file',
      'out/app.mjs',
    ])
    mkdirSync(join(project.folder, 'out/node_modules'))
    renameSync(project.installed, join(project.folder, 'out/node_modules/procleash'))
    const { keeper } = await expectReal({ folder: moveOut('out') }, [node, 'app.mjs'])
    expect(keeper).toContain('/node_modules/procleash/prebuilds/')
  })

  async function make(argv: readonly string[]): Promise<void> {
    const { code, stderr } = await runIn(project, argv)
    expect(code, stderr).toBe(0)
  }

  /** The bundle in a folder of its own; the project it came from is gone. */
  function moveOut(name: string): string {
    const folder = makeFolder('moved')
    for (const file of readdirSync(join(project.folder, name)))
      renameSync(join(project.folder, name, file), join(folder, file))
    rmSync(project.folder, { recursive: true })
    return folder
  }
})
