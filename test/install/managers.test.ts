// Each package manager installs the package from a registry, with install scripts off and no compiler in PATH, and what
// it installed works: a program, and both commands.

import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { npm } from './support/npm.js'
import { runtimeNamed, tool } from './support/places.js'
import { emptyProject, expectReal, type Project, packageVersion, runIn } from './support/project.js'
import { type Registry, serveRegistry } from './support/registry.js'

interface Manager {
  readonly name: string
  readonly install: readonly string[]
  /** Files of the project that say what no option does. */
  readonly files?: (registry: string) => Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly program: readonly string[]
  /** How its user starts the command line, and `procleash-init`. */
  readonly command?: readonly string[]
  readonly init?: readonly string[]
}

const node = process.execPath
const bun = runtimeNamed('bun').command
const deno = runtimeNamed('deno').command
const denoFolder = `node_modules/.deno/procleash@${packageVersion()}`
const yarn = [node, tool('@yarnpkg/cli-dist/bin/yarn.js')]

/** Yarn wants to be told that plain HTTP is meant. */
function yarnSettings(linker: string): NonNullable<Manager['files']> {
  return (registry) => ({
    'yarn.lock': '',
    '.yarnrc.yml': [
      `nodeLinker: ${linker}`,
      `npmRegistryServer: ${registry}`,
      'unsafeHttpWhitelist: [127.0.0.1]',
      'enableScripts: false',
      'enableTelemetry: false',
      'enableGlobalCache: false',
      'npmMinimalAgeGate: 0',
    ].join('\n'),
  })
}

const managers: readonly Manager[] = [
  {
    name: 'npm',
    install: [node, ...npm(), 'install', '--ignore-scripts', '--no-audit', '--no-fund', 'procleash'],
    program: [node],
  },
  {
    name: 'pnpm',
    install: [node, tool('pnpm/bin/pnpm.cjs'), 'add', '--ignore-scripts', 'procleash'],
    program: [node],
  },
  {
    name: 'yarn, node_modules',
    install: [...yarn, 'add', 'procleash'],
    files: yarnSettings('node-modules'),
    program: [node],
  },
  {
    name: "yarn, Plug'n'Play",
    install: [...yarn, 'add', 'procleash'],
    files: yarnSettings('pnp'),
    program: [...yarn, 'node'],
    // It would give the shell script `procleash-init` to Node.
    command: [...yarn, 'run', 'procleash'],
    init: [...yarn, 'run', 'procleash', 'init'],
  },
  {
    name: 'bun',
    install: [bun, 'add', '--ignore-scripts', 'procleash'],
    program: [bun, 'run'],
  },
  {
    name: 'deno',
    install: [deno, 'install', '--quiet', 'npm:procleash'],
    // node_modules/procleash is a link, and Deno asks for what it leads to.
    program: [deno, 'run', '--quiet', '--no-prompt', `--allow-ffi=${denoFolder}`],
  },
]

let registry: Registry
beforeAll(async () => {
  registry = await serveRegistry(inject('tarball'))
})
afterAll(() => registry.close())

describe.for(managers)('$name', ({ install, files, program, ...commands }) => {
  guardEachTest()
  let project: Project
  const settings = () => ({
    npm_config_registry: registry.url,
    NPM_CONFIG_REGISTRY: registry.url,
    BUN_CONFIG_REGISTRY: registry.url,
    DENO_DIR: join(project.folder, '.deno'),
  })

  it('installs it', async () => {
    project = emptyProject('manager')
    for (const [name, text] of Object.entries(files?.(registry.url) ?? {})) {
      writeFileSync(join(project.folder, name), text)
    }
    const { code, stdout, stderr } = await runIn(project, install, { env: settings() })
    expect(code, `${stdout}${stderr}`).toBe(0)
  })

  it('a real program runs', async () => {
    const { keeper } = await expectReal(project, [...program, 'real.mjs'])
    expect(keeper).toContain(`/procleash/prebuilds/linux-${process.arch}/procleash-supervisor`)
    expect(statSync(keeper).mode & 0o111, 'run bits').toBe(0o111)
  })

  it('the commands run', async () => {
    const bin = join(project.folder, 'node_modules/.bin')
    const { command = [join(bin, 'procleash')], init = [join(bin, 'procleash-init')] } = commands
    const version = await runIn(project, [...command, '--version'])
    expect(version.stdout, version.stderr).toBe(`procleash ${packageVersion()}\n`)
    const { code, stderr } = await runIn(project, [...init, '-s', '--', 'sh', '-c', 'exit 7'])
    expect(code, stderr).toBe(7)
  })

  it('built nothing', () => {
    expect(existsSync(join(project.installed, 'build'))).toBe(false)
  })
})
