// What every runtime has: node:child_process, to one process and to the group.

import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { GRACE, stopOnAbort } from './grace.mjs'

/** @type {import('./types.mjs').Contender} */
export const childKill = {
  title: 'child.kill()',
  async start(file, args, { env, timeout, signal }) {
    const child = spawn(file, args, { env, timeout, signal, stdio: 'ignore' })
    // The AbortError, when the signal is aborted.
    child.on('error', () => {})
    const exit = exitOf(child)
    return {
      pid: child.pid ?? 0,
      stop: () => {
        child.kill()
        return exit
      },
    }
  },
}

/**
 * The whole group: SIGTERM, then SIGKILL to what is left once the leader has ended, after the grace at the latest.
 *
 * @type {import('./types.mjs').Contender}
 */
export const processGroup = {
  title: 'process.kill(-pid), then SIGKILL',
  async start(file, args, { env, timeout, signal, grace = GRACE }) {
    const child = spawn(file, args, { env, stdio: 'ignore', detached: true })
    const group = -(child.pid ?? 0)
    const exit = exitOf(child)
    const stop = async () => {
      signalGroup(group, 'SIGTERM')
      await Promise.race([exit, delay(grace)])
      signalGroup(group, 'SIGKILL')
      await exit
    }
    stopOnAbort(signal, stop)
    if (timeout !== undefined) setTimeout(stop, timeout)
    return { pid: child.pid ?? 0, stop }
  },
}

/** Not `once()`: an AbortError would reject it. @param {import('node:child_process').ChildProcess} child */
export function exitOf(child) {
  return new Promise((resolve) => child.once('exit', () => resolve(true)))
}

/**
 * @param {number} group
 * @param {NodeJS.Signals} signal
 */
function signalGroup(group, signal) {
  try {
    process.kill(group, signal)
  } catch {
    // No such group any more.
  }
}
