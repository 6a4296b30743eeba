// Where there are no prebuilt files for a machine, the installed package builds its own.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { npm } from './support/npm.js'
import { root } from './support/places.js'
import { expectReal, installedProject, runIn } from './support/project.js'

guardEachTest()
const build = [process.execPath, ...npm(), 'run', 'build:native']

it('builds from the installed sources, with the node-gyp of npm', async () => {
  const project = installedProject('source')
  rmSync(join(project.installed, 'prebuilds'), { recursive: true })
  const env = {
    PATH: process.env.PATH ?? '',
    CC: 'gcc',
    CXX: 'g++',
    npm_config_nodedir: join(root, 'node_modules/node20'),
  }
  const { code, stdout, stderr } = await runIn({ folder: project.installed }, build, {
    env,
    deadline: 110_000,
  })
  expect(code, `${stdout}${stderr}`).toBe(0)
  const { keeper } = await expectReal(project, [process.execPath, 'real.mjs'])
  expect(keeper).toBe(`${project.installed}/build/Release/procleash-supervisor`)
})

it('without a compiler: says what to install', async () => {
  const project = installedProject('source')
  const { code, stderr } = await runIn({ folder: project.installed }, build, { env: { CC: '', CXX: '' } })
  expect(code).toBe(1)
  expect(stderr).toContain('needs python3, make, g++, which are not installed')
  expect(stderr).toContain('apt-get install g++ make python3')
})
