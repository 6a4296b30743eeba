// A real container: runc, with a root file system made of this machine's own /usr and nothing else.

import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { packagedProgram } from './packages.js'
import { identify, type ProcessId } from './proc.js'
import { type ProgramResult, runProgram } from './program.js'
import { sanitizer } from './sanitizer.js'
import { makeFolder } from './suite.js'
import { waitFor } from './wait.js'

export const runc = packagedProgram('runc')

export interface ContainerOptions {
  /** Files of this machine, by their path in the container. */
  readonly files: Readonly<Record<string, string>>
  /** Folders of this machine, likewise. */
  readonly folders?: Readonly<Record<string, string>>
  /** A folder of this machine that is /state in the container. */
  readonly state: string
  readonly user?: number
  /** System calls that fail, each with its errno. */
  readonly refused?: Readonly<Record<string, number>>
}

export interface Container {
  /** Its PID 1, in the numbers of this namespace. */
  readonly id: ProcessId
  readonly ended: Promise<ProgramResult>
  kill(signal: string): void
}

/** Why there can be no containers here. */
export function missingContainers(): string[] {
  if (sanitizer !== undefined) return ['a container has no library of the sanitizer']
  if (process.getuid?.() !== 0) return ['needs root']
  if (runc === undefined) return ['needs runc']
  const bundle = makeBundle(['/usr/bin/true'], { files: {}, state: '/tmp' })
  const tried = runcCommand(bundle, ['run', '--bundle', bundle, basename(bundle)])
  rmSync(bundle, { recursive: true, force: true })
  return tried.status === 0 ? [] : [`runc can't run here: ${tried.stderr.trim().split('\n').at(-1)}`]
}

export async function startContainer(argv: readonly string[], options: ContainerOptions): Promise<Container> {
  const bundle = makeBundle(argv, options)
  const name = basename(bundle)
  onTestFinished(() => {
    runcCommand(bundle, ['delete', '--force', name])
    rmSync(bundle, { recursive: true, force: true })
  })
  const ended = runProgram([runc!, ...globalOptions(bundle), 'run', '--bundle', bundle, name])
  const pid = await waitFor(() => runningPid(bundle, name), 10_000, 'the container runs')
  return {
    id: identify(pid),
    ended,
    kill: (signal) => {
      const { status, stderr } = runcCommand(bundle, ['kill', name, signal])
      if (status !== 0) throw new Error(`runc kill: ${stderr}`)
    },
  }
}

function runningPid(bundle: string, name: string): number | undefined {
  const { status, stdout } = runcCommand(bundle, ['state', name])
  if (status !== 0) return undefined
  const state = JSON.parse(stdout) as { readonly status: string; readonly pid: number }
  return state.status === 'running' ? state.pid : undefined
}

function runcCommand(bundle: string, args: readonly string[]) {
  return spawnSync(runc!, [...globalOptions(bundle), ...args], { encoding: 'utf8', timeout: 20_000 })
}

/** Its own list of containers, so that nobody else's is touched. */
function globalOptions(bundle: string): string[] {
  return ['--root', join(bundle, 'runc')]
}

function makeBundle(argv: readonly string[], options: ContainerOptions): string {
  const bundle = makeFolder('container')
  const root = join(bundle, 'rootfs')
  for (const folder of ['usr', 'proc', 'dev', 'tmp', 'state']) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  for (const folder of Object.keys(options.folders ?? {})) mkdirSync(join(root, folder), { recursive: true })
  for (const file of Object.keys(options.files)) writeFileSync(join(root, file), '')
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(makeConfig(argv, options)))
  return bundle
}

/** https://github.com/opencontainers/runtime-spec/blob/main/config.md */
function makeConfig(argv: readonly string[], options: ContainerOptions) {
  const { files, folders = {}, state, user = 0, refused = {} } = options
  const bind = (source: string, destination: string, mode: 'ro' | 'rw') => ({
    type: 'bind',
    source,
    destination,
    options: ['rbind', mode],
  })
  const syscalls = Object.entries(refused).map(([name, errno]) => ({
    names: [name],
    action: 'SCMP_ACT_ERRNO',
    errnoRet: errno,
  }))
  return {
    ociVersion: '1.0.2',
    process: {
      args: argv,
      cwd: '/',
      env: ['PATH=/usr/bin:/bin', 'HOME=/tmp'],
      user: { uid: user, gid: user },
      noNewPrivileges: true,
    },
    root: { path: 'rootfs', readonly: true },
    mounts: [
      { type: 'proc', source: 'proc', destination: '/proc' },
      { type: 'tmpfs', source: 'tmpfs', destination: '/dev', options: ['mode=755'] },
      { type: 'tmpfs', source: 'tmpfs', destination: '/tmp', options: ['mode=1777'] },
      bind('/usr', '/usr', 'ro'),
      bind(state, '/state', 'rw'),
      ...Object.entries({ ...folders, ...files }).map(([destination, source]) =>
        bind(source, destination, 'ro'),
      ),
    ],
    linux: {
      namespaces: ['pid', 'mount', 'ipc', 'uts', 'network'].map((type) => ({ type })),
      ...(syscalls.length > 0 && { seccomp: { defaultAction: 'SCMP_ACT_ALLOW', syscalls } }),
    },
  }
}
