// Cgroups of the tests' own: a folder of the cgroup2 hierarchy for one host to live in, seen from outside with plain fs.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { isTurnedOff } from './features.js'
import { waitUntil } from './wait.js'

export interface TestCgroup {
  readonly path: string
  /** What to put before a host to start it in there. */
  readonly via: readonly string[]
  /** Names of the cgroups that procleash has made in it. */
  leaves(): string[]
  /** Processes of a cgroup in it. */
  members(leaf: string): number[]
}

/** A fresh cgroup below our own. It has to be empty of processes and cgroups when the test has ended. */
export function makeCgroup(controllers: readonly string[] = []): TestCgroup {
  const around = ownFolder()
  if (around === undefined) throw new Error('there is no cgroup2 file system')
  const path = join(around, `procleash-test-${process.pid}-${++count}`)
  mkdirSync(path)
  onTestFinished(() => removeCgroup(path))
  // The host may not live where its trees get controllers: "no internal processes", cgroups(7).
  const home = controllers.length === 0 ? path : join(path, 'host')
  if (controllers.length > 0) {
    mkdirSync(home)
    writeFileSync(join(path, 'cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '))
  }
  return {
    path,
    via: ['sh', '-c', 'echo $$ >"$0/cgroup.procs" && exec "$@"', home],
    leaves: () => foldersIn(path).filter((name) => name.startsWith('procleash-')),
    members: (leaf) =>
      read(join(path, leaf, 'cgroup.procs'))
        .split('\n')
        .filter(Boolean)
        .map(Number),
  }
}

let count = 0

/** Why no cgroup can be made here with these controllers; `undefined` when one can. */
export function missingCgroup(controllers: readonly string[] = []): string | undefined {
  if (isTurnedOff('cgroup')) return 'turned off by PROCLEASH_DISABLE'
  const around = ownFolder()
  if (around === undefined) return 'needs a cgroup2 file system that shows our own cgroup'
  const path = join(around, `procleash-test-${process.pid}-try`)
  try {
    mkdirSync(path)
  } catch (error) {
    return `needs a writable cgroup (${(error as NodeJS.ErrnoException).code})`
  }
  try {
    if (!existsSync(join(path, 'cgroup.kill'))) return 'needs cgroup.kill (Linux 5.14)'
    const given = read(join(path, 'cgroup.controllers')).trim().split(' ')
    const missing = controllers.filter((name) => !given.includes(name))
    return missing.length === 0 ? undefined : `needs the cgroup controllers ${missing.join(', ')}`
  } finally {
    rmdirSync(path)
  }
}

/** Hosts have ended; keepers and supervisors may need a moment more. */
export async function removeCgroup(path: string): Promise<void> {
  let problem: unknown
  await waitUntil(
    () => {
      try {
        if (existsSync(join(path, 'host'))) rmdirSync(join(path, 'host'))
        rmdirSync(path)
        return true
      } catch (error) {
        problem = error
        return false
      }
    },
    5000,
    () => `${path} is empty: ${problem}; there is: ${foldersIn(path)} ${read(join(path, 'cgroup.procs'))}`,
  )
}

/** Our own cgroup as a folder. Only mounts of the whole hierarchy are looked at: enough for tests. */
function ownFolder(): string | undefined {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  const mount = mounts.find((line) => / - cgroup2 /.test(line))?.split(' ')
  const own = /^0::(\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1]
  if (mount?.[3] !== '/' || own === undefined) return undefined
  const folder = join(mount[4]!, own)
  return existsSync(folder) ? folder : undefined
}

function foldersIn(path: string): string[] {
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
