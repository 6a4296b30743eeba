// The ways to start and stop a command that are compared, each as its own documentation shows it. All get the same
// command without pipes (an open pipe would make some of them wait for every process that holds it), SIGTERM first,
// and half a second before SIGKILL where they know an escalation.

import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

const GRACE = 500

/**
 * @typedef {object} Options
 * @property {Record<string, string>} env
 * @property {number} [timeout] Milliseconds, by the peer's own option where it has one.
 */

/** @typedef {{ pid: number, stop(): Promise<unknown> }} Running `stop` ends when the peer says that it is done. */

/** @typedef {(file: string, args: string[], options: Options) => Promise<Running>} Start */

/** @type {Start} */
async function procleash(file, args, { env, timeout }) {
  const { spawn } = await import('../../dist/src/index.js')
  const command = await spawn(file, args, { env, timeout, stdout: 'ignore', stderr: 'ignore' })
  return { pid: command.pid, stop: () => command.stop() }
}

/** @type {Start} */
async function childProcess(file, args, { env, timeout }) {
  const { spawn } = await import('node:child_process')
  const child = spawn(file, args, { env, timeout, stdio: 'ignore' })
  const exit = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
    stop: () => {
      child.kill()
      return exit
    },
  }
}

/**
 * The whole group: SIGTERM, then SIGKILL to what is left once the leader has ended, after half a second at the latest.
 *
 * @type {Start}
 */
async function processGroup(file, args, { env, timeout }) {
  const { spawn } = await import('node:child_process')
  const child = spawn(file, args, { env, stdio: 'ignore', detached: true })
  const group = -(child.pid ?? 0)
  const exit = once(child, 'exit')
  const stop = async () => {
    signalGroup(group, 'SIGTERM')
    await Promise.race([exit, delay(GRACE)])
    signalGroup(group, 'SIGKILL')
    await exit
  }
  if (timeout !== undefined) setTimeout(stop, timeout)
  return { pid: child.pid ?? 0, stop }
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

/** @type {Start} */
async function treeKill(file, args, { env, timeout }) {
  const { spawn } = await import('node:child_process')
  const { default: kill } = await import('tree-kill')
  const child = spawn(file, args, { env, stdio: 'ignore' })
  const pid = child.pid ?? 0
  const exit = once(child, 'exit')
  /** @param {string} signal */
  const killTree = (signal) => new Promise((resolve) => kill(pid, signal, resolve))
  const stop = async () => {
    await killTree('SIGTERM')
    const ended = await Promise.race([exit, delay(GRACE)])
    if (ended === undefined) await killTree('SIGKILL')
    await exit
  }
  if (timeout !== undefined) setTimeout(stop, timeout)
  return { pid, stop }
}

/** @type {Start} */
async function execa(file, args, { env, timeout }) {
  const { execa: start } = await import('execa')
  const options = { env, stdio: 'ignore', reject: false, forceKillAfterDelay: GRACE }
  const child = start(
    file,
    args,
    /** @type {object} */ ({ ...options, ...(timeout !== undefined && { timeout }) }),
  )
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill()
      await child
    },
  }
}

/** @type {Start} */
async function tinyexec(file, args, { env, timeout }) {
  const { x } = await import('tinyexec')
  const options = timeout === undefined ? {} : { timeout }
  const child = x(file, args, { ...options, nodeOptions: { env, stdio: 'ignore' } })
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill()
      await child
    },
  }
}

/** @type {Start} */
async function bunSpawn(file, args, { env, timeout }) {
  const { Bun } = /** @type {any} */ (globalThis)
  const stdio = ['ignore', 'ignore', 'ignore']
  const child = Bun.spawn([file, ...args], { env, stdio, ...(timeout !== undefined && { timeout }) })
  return {
    pid: child.pid,
    stop: () => {
      child.kill()
      return child.exited
    },
  }
}

/** @type {Start} */
async function denoCommand(file, args, { env, timeout }) {
  const { Deno } = /** @type {any} */ (globalThis)
  const options = { args, env, stdin: 'null', stdout: 'null', stderr: 'null' }
  const signal = timeout === undefined ? undefined : AbortSignal.timeout(timeout)
  const child = new Deno.Command(file, { ...options, signal }).spawn()
  return {
    pid: child.pid,
    stop: () => {
      child.kill('SIGTERM')
      return child.status
    },
  }
}

/** @type {Record<string, Start>} */
export const peers = {
  procleash,
  'child.kill()': childProcess,
  'process.kill(-pid)': processGroup,
  'tree-kill': treeKill,
  execa,
  tinyexec,
  'Bun.spawn': bunSpawn,
  'Deno.Command': denoCommand,
}
