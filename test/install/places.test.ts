// Places that are not like a developer's folder: odd names, nothing to be written, nothing to be executed.

import { chmodSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { makeFolder } from '../support/suite.js'
import { itNeeds } from '../support/tools.js'
import { withMemfdRule, withMount } from './support/namespaces.js'
import { runtimeNamed } from './support/places.js'
import { expectReal, installedProject, type Project, runIn } from './support/project.js'

const MEMORY = '/memfd:procleash-supervisor (deleted)'
const hosts = [
  { name: 'node', argv: [runtimeNamed('node22').command, 'real.mjs'] },
  { name: 'bun', argv: [runtimeNamed('bun').command, 'run', 'real.mjs'] },
  {
    name: 'deno',
    argv: [
      runtimeNamed('deno').command,
      'run',
      '--quiet',
      '--no-prompt',
      '--allow-ffi=node_modules/procleash',
      'real.mjs',
    ],
  },
]

function helperOf({ installed }: Project): string {
  return `${installed}/prebuilds/linux-${process.arch}/procleash-supervisor`
}

describe.for(hosts)('$name', ({ argv }) => {
  guardEachTest()

  it('a path with blanks and non-ASCII letters', async () => {
    const project = installedProject('place', "a b'c ü 日本 €")
    const { keeper } = await expectReal(project, argv)
    expect(keeper).toContain("/a b'c ü 日本 €/node_modules/procleash/")
  })

  itNeeds(['mount-namespace'], 'a read-only file system', async () => {
    const project = installedProject('place')
    const wrapped = withMount('read-only', project.folder, argv)
    const { keeper } = await expectReal(project, wrapped)
    expect(keeper).toContain(project.installed)
  })

  itNeeds(['mount-namespace'], 'a temporary folder that nothing can be executed from', async () => {
    const project = installedProject('place')
    const temporary = makeFolder('noexec')
    const wrapped = withMount('empty, noexec', temporary, argv)
    await expectReal(project, wrapped, { env: { TMPDIR: temporary } })
  })

  it('the helper without its run bit: run from memory', async () => {
    const project = installedProject('place')
    chmodSync(helperOf(project), 0o644)
    expect((await expectReal(project, argv)).keeper).toBe(MEMORY)
  })

  it('no helper at all: run from memory', async () => {
    const project = installedProject('place')
    rmSync(helperOf(project))
    expect((await expectReal(project, argv)).keeper).toBe(MEMORY)
  })

  itNeeds(['memfd-rule'], 'vm.memfd_noexec=2: the helper beside the addon is run', async () => {
    const project = installedProject('place')
    expect((await expectReal(project, withMemfdRule(argv))).keeper).toBe(helperOf(project))
  })

  itNeeds(['memfd-rule'], 'vm.memfd_noexec=2 and no run bit: says so', async () => {
    const project = installedProject('place')
    chmodSync(helperOf(project), 0o644)
    const { code, stderr } = await runIn(project, withMemfdRule(argv))
    expect(code).not.toBe(0)
    expect(stderr).toContain('HelperError')
    expect(stderr).toContain(helperOf(project))
    expect(stderr).toContain('vm.memfd_noexec is 2')
    expect(stderr).toContain('chmod 755')
  })

  itNeeds(['mount-namespace'], 'a package that nothing can be executed from: says so', async () => {
    const project = installedProject('place')
    const wrapped = withMount('noexec', project.installed, argv)
    const { code, stderr } = await runIn(project, wrapped)
    expect(code).not.toBe(0)
    expect(stderr).toContain('NativeMissingError')
    expect(stderr).toContain('noexec')
  })
})

describe('procleash doctor', () => {
  guardEachTest()
  const doctor = [runtimeNamed('node22').command, 'node_modules/procleash/dist/src/cli/main.js', 'doctor']

  it('finds the promise kept by a helper from memory', async () => {
    const project = installedProject('place')
    chmodSync(helperOf(project), 0o644)
    const { code, stdout } = await runIn(project, doctor)
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('self-test')
  })

  itNeeds(['memfd-rule'], 'says what is wrong where no helper can be run', async () => {
    const project = installedProject('place')
    chmodSync(helperOf(project), 0o644)
    const { code, stdout, stderr } = await runIn(project, withMemfdRule(doctor))
    expect(code).toBe(1)
    expect(stdout + stderr).toContain('vm.memfd_noexec is 2')
  })
})
