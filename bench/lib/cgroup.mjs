// A cgroup of the v2 hierarchy with cgroup.kill, where this user may make one.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { atExit } from './cleanup.mjs'

/**
 * A new cgroup that processes can be moved into, or why there is none.
 *
 * @returns {{ path: string, remove: () => void } | { missing: string }}
 */
export function createCgroup() {
  const mount = mountPoint()
  if (mount === undefined) return { missing: 'no cgroup2 mount' }
  const path = join(mount, ownPath(), `procleash-bench-${process.pid}`)
  try {
    mkdirSync(path)
  } catch (error) {
    return { missing: `no cgroup can be made: ${error instanceof Error ? error.message : error}` }
  }
  const forget = atExit(() => removeCgroup(path))
  if (!existsSync(join(path, 'cgroup.kill'))) {
    removeCgroup(path)
    return { missing: 'this kernel has no cgroup.kill' }
  }
  return {
    path,
    remove() {
      removeCgroup(path)
      forget()
    },
  }
}

/** @type {ReturnType<typeof createCgroup> | undefined} */
let shared

/** One for the whole run: each tree leaves it empty. Removed at the end. */
export function sharedCgroup() {
  shared ??= createCgroup()
  return shared
}

/** @param {string} path */
function removeCgroup(path) {
  for (let attempt = 0; attempt < 50; attempt++) {
    try {
      writeFileSync(join(path, 'cgroup.kill'), '1')
      rmdirSync(path)
      return
    } catch (error) {
      // Busy until the last process in it was reaped.
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EBUSY') return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/** proc_pid_mountinfo(5): field 5 is the mount point, the type follows the separator `-`. */
export function mountPoint() {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  return mounts.find((line) => / - cgroup2 /.test(line))?.split(' ')[4]
}

/** Ours in the v2 hierarchy, number 0; a process may be moved within what its user owns only. */
function ownPath() {
  return /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '/'
}
