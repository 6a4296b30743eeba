// Signals by number, of POSIX systems. Never to 0, 1, this process or its parent: what kill(2) makes of -1 and 0 would
// hit everybody.

import type { Sent } from './system.js'

/** To one process. Its number must have been compared with its start time right before. */
export function signalProcess(pid: number, signo: number): Sent {
  if (!isAllowed(pid)) return 'denied'
  return send(pid, signo)
}

/**
 * To a whole group at once, which no fork can run away from (kernel/fork.c, copy_process). Its number is its own as
 * long as it has a member, a zombie included: POSIX.1 4.14, Process ID Reuse.
 */
export function signalGroup(leader: number, signo: number): Sent {
  if (!isAllowed(leader)) return 'denied'
  return send(-leader, signo)
}

function isAllowed(pid: number): boolean {
  return Number.isInteger(pid) && pid > 1 && pid !== process.pid && pid !== process.ppid
}

function send(target: number, signo: number): Sent {
  try {
    process.kill(target, signo)
    return 'sent'
  } catch (error) {
    // Whatever else is wrong, nothing was sent.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH' ? 'gone' : 'denied'
  }
}
