// A cgroup of the tests' own with one limit, by whichever hierarchy of the controller may be written here: cgroup v1,
// or v2 where the controller is handed on to us.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeCgroup, missingCgroup, removeCgroup } from './cgroup.js'

export type Controller = 'memory' | 'pids'

export interface ControlledCgroup {
  /** What to put before a host to start it in there. */
  readonly via: readonly string[]
  /** What is used of it now: bytes, or processes and threads. */
  used(): number
  limit(value: number): void
  /** Processes that the kernel has killed in there for want of memory. */
  oomKills(): number
}

interface Files {
  readonly folder: string
  readonly limit: string
  readonly used: string
  readonly oomKills: string
}

/** A fresh one, without a limit at first. It has to be empty when the test has ended. */
export function makeControlled(controller: Controller): ControlledCgroup {
  const { folder, limit, used, oomKills } = makeOld(controller) ?? makeUnified(controller)
  return {
    via: ['sh', '-c', 'echo $$ >"$0/cgroup.procs" && exec "$@"', folder],
    used: () => Number(readFileSync(join(folder, used), 'utf8')),
    limit: (value) => writeFileSync(join(folder, limit), String(value)),
    oomKills: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, oomKills), 'utf8'))?.[1]),
  }
}

/** Why none can be made here; `undefined` when one can. */
export function missingController(controller: Controller): string | undefined {
  if (tryOld(controller)) return undefined
  const unified = missingCgroup([controller])
  return unified === undefined ? undefined : `needs a writable cgroup v1 of ${controller}, or: ${unified}`
}

let count = 0

function makeOld(controller: Controller): Files | undefined {
  const around = ownOldFolder(controller)
  if (around === undefined || !tryOld(controller)) return undefined
  const folder = join(around, `procleash-test-${process.pid}-${++count}`)
  mkdirSync(folder)
  onTestFinished(() => removeCgroup(folder))
  return controller === 'pids'
    ? { folder, limit: 'pids.max', used: 'pids.current', oomKills: '' }
    : {
        folder,
        limit: 'memory.limit_in_bytes',
        used: 'memory.usage_in_bytes',
        oomKills: 'memory.oom_control',
      }
}

function makeUnified(controller: Controller): Files {
  const folder = join(makeCgroup([controller]).path, 'host')
  return {
    folder,
    limit: `${controller}.max`,
    used: `${controller}.current`,
    oomKills: `${controller}.events`,
  }
}

function tryOld(controller: Controller): boolean {
  const around = ownOldFolder(controller)
  if (around === undefined) return false
  const folder = join(around, `procleash-test-${process.pid}-try`)
  try {
    mkdirSync(folder)
    rmdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** Our own cgroup in the hierarchy of the controller, where that one is mounted by its usual name. */
function ownOldFolder(controller: Controller): string | undefined {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n')
  const own = lines.map((line) => line.split(':')).find(([, names]) => names?.split(',').includes(controller))
  if (own?.[2] === undefined) return undefined
  const folder = join('/sys/fs/cgroup', controller, own[2])
  return existsSync(join(folder, 'cgroup.procs')) ? folder : undefined
}
