// procleash in three ways: a keeper from the start, stopTree on somebody else's child, and a cgroup.

import { spawn as spawnChild } from 'node:child_process'
import * as procleash from '../../dist/src/index.js'
import { stopOnAbort } from './grace.mjs'

/** Not in every version. @type {Record<string, any>} */
const names = procleash

/** @type {import('./types.mjs').Contender} */
export const keeper = {
  title: 'procleash (keeper)',
  start: (file, args, { env, timeout, signal }) => start(file, args, { env, timeout, signal }),
}

/** @type {import('./types.mjs').Contender} */
export const byCgroup = {
  title: 'procleash (cgroup)',
  start: (file, args, { env, timeout, signal }) =>
    start(file, args, { env, timeout, signal, require: 'cgroup' }),
  async missing() {
    try {
      const command = await procleash.spawn('true', [], { require: 'cgroup' })
      await command.settled
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  },
}

/** @type {import('./types.mjs').Contender} */
export const byStopTree = {
  title: 'procleash (stopTree)',
  async start(file, args, { env, signal }) {
    const { pid = 0 } = spawnChild(file, args, { env, stdio: 'ignore', detached: true })
    const stop = () => names.stopTree(pid)
    stopOnAbort(signal, stop)
    return { pid, stop }
  },
  missing: () => (names.stopTree === undefined ? 'this version has no stopTree()' : undefined),
}

/**
 * @param {string} file
 * @param {string[]} args
 * @param {procleash.SpawnOptions} options
 */
async function start(file, args, options) {
  const command = await procleash.spawn(file, args, { ...options, stdout: 'ignore', stderr: 'ignore' })
  return { pid: command.pid, stop: () => command.stop() }
}
