// The prebuilt files on systems that are not like the one they were made on: an older glibc, musl, arm64.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { runtimeNamed } from './support/places.js'
import { expectReal, installedProject, type Project, runIn } from './support/project.js'
import { type Arm64, arm64, muslBun, oldGlibc, whyNoOtherSystems } from './support/systems.js'

const reason = whyNoOtherSystems()
const title = (text: string) => (reason === undefined ? text : `${text} (skipped: ${reason})`)

/** The C library in a process's own memory map. */
const libcOf = `
import { readFileSync } from 'node:fs'
import { capabilities } from 'procleash'
capabilities()
const files = readFileSync('/proc/self/maps', 'utf8').match(/\\S*\\/(libc[.-]|ld-musl|libc\\.musl)\\S*/g)
console.log([...new Set(files)].join(' '), readFileSync('/proc/self/maps', 'utf8').includes('procleash.node'))
`

describe.skipIf(reason !== undefined)(title('another C library'), () => {
  guardEachTest()
  let project: Project
  beforeAll(() => {
    project = installedProject('system')
    writeFileSync(join(project.folder, 'libc.mjs'), libcOf)
  })

  it('glibc 2.31: Node 20', async () => {
    const node = [...oldGlibc(), runtimeNamed('node20').command]
    const { stdout, stderr } = await runIn(project, [...node, 'libc.mjs'])
    expect(stdout, stderr).toMatch(/^\S*\/glibc-2\.31\/\S*\/libc-2\.31\.so true\n$/)
    await expectReal(project, [...node, 'real.mjs'])
  })

  it('musl: Bun', async () => {
    const { command, env, libc } = muslBun()
    const { stdout, stderr } = await runIn(project, [command, 'run', 'libc.mjs'], { env })
    expect(stdout, stderr).toMatch(/\/(ld-musl-x86_64\.so\.1|x86_64-linux-musl\/libc\.so) true\n$/)
    expect(stdout, libc).not.toContain('x86_64-linux-gnu')
    const { keeper } = await expectReal(project, [command, 'run', 'real.mjs'], { env })
    expect(keeper).toContain(project.installed)
  })
})

// The qemu-user of Debian 12 refuses PR_SET_CHILD_SUBREAPER, so that whoever leaves its parent is lost to the keeper:
// the tree here is one without daemons. pidfds and clone3 are emulated in part only.
describe.skipIf(reason !== undefined)(title('arm64, emulated by qemu-user'), () => {
  guardEachTest()
  let project: Project
  let machine: Arm64
  let env: Record<string, string>
  beforeAll(() => {
    machine = arm64()
    project = installedProject('arm64')
    const helper = join(project.folder, 'helper')
    machine.wrapHelper(helper, join(project.installed, 'prebuilds/linux-arm64/procleash-supervisor'))
    env = { PROCLEASH_HELPER: helper }
  })

  it('a real program', async () => {
    const { arch, pids } = await expectReal(project, [...machine.node, 'real.mjs', '--tame'], {
      env,
      unproved: true,
    })
    expect(arch).toBe('arm64')
    expect(pids.length).toBe(2)
  })

  it('procleash-init', async () => {
    const [qemu = ''] = machine.node
    const init = join(project.installed, 'prebuilds/linux-arm64/procleash-init')
    const { code, stderr } = await runIn(project, [qemu, init, '--', 'sh', '-c', 'exit 7'])
    expect(code, stderr).toBe(7)
  })
})
