// The option `limits`: what is valid, and what can be had.

import { InvalidOptionError, LimitError } from './errors.js'
import type { CgroupCapability, LimitName, Limits } from './types.js'
import { checkObject } from './validate.js'

const names: readonly LimitName[] = ['memory', 'processes', 'cpu']

const ranges: Readonly<Record<LimitName, { least: number; most: number; whole: boolean; fix: string }>> = {
  memory: { least: 1, most: Number.MAX_SAFE_INTEGER, whole: true, fix: 'Give a number of bytes' },
  // PID_MAX_LIMIT of the kernel.
  processes: { least: 1, most: 4_194_304, whole: true, fix: 'Give a number of processes, threads included' },
  // The kernel gives no less than 1 ms in each 100 ms.
  cpu: { least: 0.01, most: 10_000, whole: false, fix: 'Give a number of CPUs, 0.5 for half of one' },
}

/** The controllers of the kernel, as its files name them. */
const controllers: Readonly<Record<LimitName, string>> = { memory: 'memory', processes: 'pids', cpu: 'cpu' }

export function checkLimits(limits: unknown): asserts limits is Limits {
  checkObject(limits, 'limits')
  for (const [name, value] of Object.entries(limits as object)) {
    if (!names.some((known) => known === name)) throw unknown(name, value)
    if (value !== undefined) checkLimit(name as LimitName, value)
  }
}

export function hasLimits(limits: Limits): boolean {
  return names.some((name) => limits[name] !== undefined)
}

/** Throws {@link LimitError} for a limit that these cgroups can't have. */
export function checkControllers(limits: Limits, cgroup: CgroupCapability): void {
  const missing = names.find((name) => limits[name] !== undefined && !cgroup.limits.includes(name))
  if (missing !== undefined) throw limitError(missing, `there is no controller for it in ${cgroup.path}`)
}

export function limitError(name: LimitName, why: string): LimitError {
  return new LimitError(`limits.${name} can't be had here: ${why}`, {
    code: 'ERR_PROCLEASH_LIMIT',
    value: name,
    fix:
      `Enable ${controllers[name]} in cgroup.subtree_control of a cgroup in which no process lives itself, ` +
      'and start this program in a cgroup below that one, or name it in PROCLEASH_CGROUP',
  })
}

function checkLimit(name: LimitName, value: unknown): void {
  const { least, most, whole, fix } = ranges[name]
  const option = `limits.${name}`
  if (typeof value !== 'number') {
    throw new InvalidOptionError({ code: 'ERR_INVALID_ARG_TYPE', option, must: 'be a number', value, fix })
  }
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return
  const must = `be a ${whole ? 'whole ' : ''}number from ${least} to ${most}`
  throw new InvalidOptionError({ code: 'ERR_OUT_OF_RANGE', option, must, value, fix })
}

function unknown(name: string, value: unknown): InvalidOptionError {
  return new InvalidOptionError({
    code: 'ERR_INVALID_ARG_VALUE',
    option: `limits.${name}`,
    must: `not be given: the limits are ${names.join(', ')}`,
    value,
    fix: 'Correct the name',
  })
}
