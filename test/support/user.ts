// Users that tests run as: nobody, or one of a test's own, as RLIMIT_NPROC counts what a user has on the whole machine.

import { listedChildren, readStat, threadCount } from './proc.js'

/** User and group of nobody. */
export const NOBODY = 65_534

let count = 0

/** An id that no other test has that runs now, and no account of the machine. Zombies of the last one count, too. */
export function ownUser(): number {
  count += 1
  return 1_000_000 + process.pid * 64 + count
}

/** Processes and threads of a process and all below it, as RLIMIT_NPROC counts them. */
export function countTasks(pid: number): number {
  const below = listedChildren(pid).reduce((sum, child) => sum + countTasks(child), 0)
  try {
    return threadCount(pid) + below
  } catch (error) {
    if (readStat(pid) !== undefined) throw error
    return below
  }
}
