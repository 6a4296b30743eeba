// What can be had of cgroups here, in words. The looking and trying is native.

import { CGROUP_LACKS, Controller, type Native } from '../bindings/native.js'
import { errnoName } from './errno.js'
import type { CgroupCapability, LimitName } from './types.js'

type Lack = (typeof CGROUP_LACKS)[number]

const DELEGATE =
  'Run it as root, or in a delegated scope: systemd-run --user --scope -p Delegate=yes COMMAND; ' +
  'or name a writable cgroup in PROCLEASH_CGROUP'

const lacks: Readonly<Record<Exclude<Lack, 'none' | 'refused'>, readonly [reason: string, fix: string]>> = {
  'no-hierarchy': [
    'no cgroup2 file system is mounted',
    'Mount one: mount -t cgroup2 none /sys/fs/cgroup; in a container, pass /sys/fs/cgroup in',
  ],
  outside: [
    "this process's own cgroup is not below the cgroup2 file system that is mounted",
    'Name a writable cgroup in PROCLEASH_CGROUP',
  ],
  'no-kill': ['the kernel has no cgroup.kill', 'Use Linux 5.14 or later'],
  threaded: ['this process lives in a threaded cgroup', 'Name a domain cgroup in PROCLEASH_CGROUP'],
  disabled: ['turned off by PROCLEASH_DISABLE', 'Unset it'],
}

export function cgroupCapability(native: Native): CgroupCapability {
  const [path, index, errno, controllers] = native.probeCgroup()
  const lack = CGROUP_LACKS[index] ?? 'refused'
  const found = { path: path === '' ? null : path }
  if (lack === 'none')
    return { ...found, usable: true, limits: limitsOf(controllers), reason: null, fix: null }
  const [reason, fix] = lack === 'refused' ? refusal(path, errno) : lacks[lack]
  return { ...found, usable: false, limits: [], reason, fix }
}

function limitsOf(controllers: number): readonly LimitName[] {
  return (['memory', 'processes', 'cpu'] as const).filter((name) => (controllers & Controller[name]) !== 0)
}

function refusal(path: string, errno: number): readonly [string, string] {
  const code = errnoName(-errno)
  switch (code) {
    case 'EROFS':
      return [
        `${path} is mounted read-only`,
        'In a container, mount /sys/fs/cgroup writable, with a cgroup namespace of its own (--cgroupns=private)',
      ]
    case 'EACCES':
    case 'EPERM':
      return [`${path} may not be written to (${code})`, DELEGATE]
    case 'ENOENT':
    case 'ENOTDIR':
      return [
        `${path} is no folder of a cgroup2 file system (${code})`,
        'Correct PROCLEASH_CGROUP, or unset it',
      ]
    default:
      return [
        `no cgroup can be made in ${path} (${code})`,
        'Check cgroup.max.descendants and cgroup.max.depth there',
      ]
  }
}
