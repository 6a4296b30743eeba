// What is published: its size, its files, what the checkers of packages say, and that npm would take it.

import { execFileSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { npm } from './support/npm.js'
import { tool } from './support/places.js'
import { emptyProject, installedProject, packageVersion, runIn } from './support/project.js'
import { serveRegistry } from './support/registry.js'

guardEachTest()
const node = process.execPath

/** Path in the package, to the mode as `tar` shows it. */
function contents(): Map<string, string> {
  const lines = execFileSync('tar', ['-tvzf', inject('tarball')], { encoding: 'utf8' })
    .trim()
    .split('\n')
  return new Map(lines.map((line) => [line.split(' package/')[1] ?? line, line.slice(0, 10)]))
}

it('is at most 500 kB', () => {
  expect(statSync(inject('tarball')).size).toBeLessThanOrEqual(500_000)
})

it('has what it needs and nothing else', () => {
  const files = [...contents().keys()]
  const folders = new Set(files.map((file) => file.split('/')[0]))
  expect([...folders].sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'binding.gyp',
    'dist',
    'package.json',
    'prebuilds',
    'scripts',
  ])
  // Tests, source maps, and TypeScript other than declarations.
  const unwanted = /^test|\.test\.|\.map$|(?<!\.d)\.c?ts$/
  expect(files.filter((file) => unwanted.test(file))).toEqual([])
})

it('the executables kept their run bits', () => {
  const executables = ['x64', 'arm64'].flatMap((arch) =>
    ['procleash.node', 'procleash-supervisor', 'procleash-init'].map(
      (name) => `prebuilds/linux-${arch}/${name}`,
    ),
  )
  const modes = contents()
  for (const file of [...executables, 'bin/procleash-init']) expect(modes.get(file), file).toBe('-rwxr-xr-x')
})

it('runs no script on installation', async () => {
  const project = installedProject('scripts')
  const { scripts, gypfile } = JSON.parse(
    execFileSync('cat', [`${project.installed}/package.json`], { encoding: 'utf8' }),
  )
  expect(gypfile).toBe(false)
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(scripts).not.toHaveProperty(name)
})

it('publint has nothing to say', async () => {
  const { code, stdout, stderr } = await runIn(emptyProject('publint'), [
    node,
    tool('publint/src/cli.js'),
    inject('tarball'),
    '--strict',
  ])
  expect(code, `${stdout}${stderr}`).toBe(0)
  expect(stdout).toContain('All good')
})

it('are the types wrong? They are not', async () => {
  // The profile for packages of ES modules: it doesn't ask what TypeScript 4 makes of a require().
  const attw = [node, tool('@arethetypeswrong/cli/dist/index.js'), inject('tarball'), '--profile', 'esm-only']
  const { code, stdout, stderr } = await runIn(emptyProject('attw'), attw)
  expect(code, `${stdout}${stderr}`).toBe(0)
})

it('npm publish --dry-run passes', async () => {
  const registry = await serveRegistry()
  onTestFinished(() => registry.close())
  const project = emptyProject('publish')
  writeFileSync(
    join(project.folder, '.npmrc'),
    `registry=${registry.url}\n${registry.url.slice(5)}:_authToken=none\n`,
  )
  const publish = [node, ...npm(), 'publish', '--dry-run', inject('tarball')]
  const { code, stderr } = await runIn(project, publish)
  expect(code, stderr).toBe(0)
  expect(stderr).toContain('name: procleash\n')
  expect(stderr).toContain(`version: ${packageVersion()}\n`)
  expect(stderr).not.toMatch(/npm warn/i)
})
