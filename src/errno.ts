// Names of errno values, and what a person can do about the ones that a start meets.

import { constants } from 'node:os'

// Not util.getSystemErrorName: it knows libuv's codes only, and ENOEXEC is none of them.
const names: ReadonlyMap<number, string> = new Map([
  [8, 'ENOEXEC'],
  ...Object.entries(constants.errno).map(([name, errno]): [number, string] => [errno, name]),
])

// Where two names share a number, the one that Linux documents.
const preferred: ReadonlyMap<number, string> = new Map([
  [11, 'EAGAIN'],
  [95, 'EOPNOTSUPP'],
])

/** Name of a negative errno, for example `ENOENT` of -2. */
export function errnoName(errno: number): string {
  return preferred.get(-errno) ?? names.get(-errno) ?? `ERRNO_${-errno}`
}

const LIMITS =
  'A limit of processes or memory is reached: see ulimit -u, pids.max of the cgroup, and RLIMIT_NPROC'
const DESCRIPTORS = 'Too many open files: close some, or raise ulimit -n'

const fixes: Readonly<Record<string, string>> = {
  ENOENT: 'Check the spelling, and the folder that a relative path starts from',
  EACCES: 'Check the permissions of it and of every folder above it',
  EPERM: 'Check the permissions, and the security policy of this container or user',
  ENOEXEC: 'It is neither a program of this machine nor a script with #! in its first line',
  ENOTDIR: 'A part of the path is a file where a folder is needed',
  EISDIR: 'It is a folder',
  ELOOP: 'Its symbolic links lead in a circle',
  ENAMETOOLONG: 'The path is too long: 4095 bytes in all, 255 for each part',
  E2BIG: 'Pass less: long values through stdin or a file instead of arguments and environment (execve(2))',
  EAGAIN: LIMITS,
  ENOMEM: LIMITS,
  EMFILE: DESCRIPTORS,
  ENFILE: DESCRIPTORS,
  EBADF: 'The descriptor is not open; pass one that is',
  ETXTBSY: 'The file is open for writing; close it first',
  EROFS: 'The file system is read-only',
  ENOSPC: 'The disk is full',
}

/** One sentence for the name of an errno. */
export function errnoFix(code: string): string {
  return fixes[code] ?? `See errno(3) for ${code}`
}
