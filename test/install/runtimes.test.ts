// The installed package in every runtime that we name, without a compiler: a real program, a worker, require().

import { beforeAll, describe, expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { runtimeNamed, tool } from './support/places.js'
import { expectReal, installedProject, type Project, runIn } from './support/project.js'

/** The narrowest that docs/runtimes.md names, and no question to a person. */
const narrow = ['run', '--quiet', '--no-prompt', '--allow-ffi=node_modules/procleash']

interface Host {
  readonly name: string
  readonly argv: readonly string[]
  /** What a program needs that starts a worker. */
  readonly loading?: readonly string[]
}

const deno = runtimeNamed('deno').command
const hosts: readonly Host[] = [
  ...['node20', 'node22', 'node24'].map((name) => ({ name, argv: [runtimeNamed(name).command] })),
  { name: 'node26', argv: [tool('node26/bin/node')] },
  { name: 'bun', argv: [runtimeNamed('bun').command, 'run'] },
  { name: 'deno', argv: [deno, ...narrow], loading: ['--allow-read=real.mjs'] },
]

describe.for(hosts)('$name', ({ name, argv, loading = [] }) => {
  guardEachTest()
  let project: Project
  beforeAll(() => {
    project = installedProject(`runtime-${name}`)
  })

  it('a real program', async () => {
    const report = await expectReal(project, [...argv, 'real.mjs'])
    expect(report.keeper).toBe(`${project.installed}/prebuilds/linux-${process.arch}/procleash-supervisor`)
    expect(report.helper).toBe(report.keeper)
    expect(report.grade).toBe('tree')
  })

  it('a worker thread', async () => {
    await expectReal(project, [...argv, ...loading, 'worker.mjs'])
  })

  it('require() of the ES module', async () => {
    const { stdout, stderr } = await runIn(project, [...argv, 'require.cjs'])
    expect(stdout, stderr).toBe('required\n')
  })
})

describe('deno without the permission', () => {
  guardEachTest()

  it('says which one it needs', async () => {
    const project = installedProject('deno-refused')
    const { code, stderr } = await runIn(project, [deno, 'run', '--quiet', '--no-prompt', 'real.mjs'])
    expect(code).not.toBe(0)
    // Without native code it would need --allow-run, which it has not either.
    expect(stderr).toContain('SpawnError')
    expect(stderr).toContain('Give Deno --allow-ffi')
  })
})
