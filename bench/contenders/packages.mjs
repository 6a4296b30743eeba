// The packages that people use to stop a command, each as its own documentation shows it.

import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { exitOf } from './child-process.mjs'
import { GRACE, stopOnAbort } from './grace.mjs'
import { load, unloadable, versionOf } from './load.mjs'

/** @type {import('./types.mjs').Contender} */
export const treeKill = {
  title: `tree-kill ${versionOf('tree-kill')}`,
  missing: () => unloadable('tree-kill'),
  async start(file, args, { env, timeout, signal, grace = GRACE }) {
    const { default: kill } = await load('tree-kill')
    const child = spawn(file, args, { env, stdio: 'ignore' })
    const pid = child.pid ?? 0
    const exit = exitOf(child)
    /** @param {string} signal */
    const killTree = (signal) => new Promise((resolve) => kill(pid, signal, resolve))
    const stop = async () => {
      await killTree('SIGTERM')
      const ended = await Promise.race([exit, delay(grace)])
      if (ended === undefined) await killTree('SIGKILL')
      await exit
    }
    stopOnAbort(signal, stop)
    if (timeout !== undefined) setTimeout(stop, timeout)
    return { pid, stop }
  },
}

/** Version 9 has no `killDescendants`, and version 10 needs Node 22. @type {import('./types.mjs').Contender} */
export const execa = {
  title: `execa ${versionOf('execa')}`,
  missing: () => unloadable('execa'),
  start: (file, args, options) => startExeca('execa', file, args, options, {}),
}

/** @type {import('./types.mjs').Contender} */
export const execaDescendants = {
  title: `execa ${versionOf('execa10')}, killDescendants`,
  missing: () => unloadable('execa10'),
  start: (file, args, options) => startExeca('execa10', file, args, options, { killDescendants: true }),
}

/**
 * @param {string} name
 * @param {string} file
 * @param {string[]} args
 * @param {import('./types.mjs').StartOptions} options
 * @param {object} more
 */
async function startExeca(name, file, args, { env, timeout, signal, grace = GRACE }, more) {
  const { execa: start } = await load(name)
  const child = start(file, args, {
    ...(env && { env }),
    stdio: 'ignore',
    reject: false,
    forceKillAfterDelay: grace,
    ...(timeout !== undefined && { timeout }),
    ...(signal && { cancelSignal: signal }),
    ...more,
  })
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill()
      await child
    },
  }
}

/** It has no escalation: `kill()` sends SIGTERM to all that `ps` shows below the shell. @type {import('./types.mjs').Contender} */
export const zx = {
  title: `zx ${versionOf('zx')}`,
  missing: () => unloadable('zx'),
  async start(file, args, { env, timeout, signal }) {
    const { $ } = await load('zx')
    const options = { ...(env && { env }), stdio: 'ignore', nothrow: true, quiet: true }
    const child = $({ ...options, ...(signal && { signal }), ...(timeout && { timeout }) })`${file} ${args}`
    return {
      pid: child.pid ?? 0,
      stop: async () => {
        await child.kill()
        await child
      },
    }
  },
}

/** @type {import('./types.mjs').Contender} */
export const tinyexec = {
  title: `tinyexec ${versionOf('tinyexec')}`,
  missing: () => unloadable('tinyexec'),
  async start(file, args, { env, timeout, signal }) {
    const { x } = await load('tinyexec')
    const child = x(file, args, { timeout, signal, nodeOptions: { env, stdio: 'ignore' } })
    return {
      pid: child.pid ?? 0,
      stop: async () => {
        child.kill()
        await child
      },
    }
  },
}
