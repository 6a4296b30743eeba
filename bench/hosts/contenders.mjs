// The ways to stop a tree that are compared. Each starts one tree and answers how to stop it.

import { spawn as spawnChild } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { spawn } from '../../dist/src/index.js'

/**
 * Not by `import`: Deno runs us without the package.json that names it.
 *
 * @type {(pid: number, signal: string, done: () => void) => void}
 */
const treeKill = createRequire(import.meta.url)('tree-kill')

/**
 * @typedef {object} StartedTree
 * @property {number} pid
 * @property {() => Promise<import('../../dist/src/index.js').Settlement | null>} stop
 */

/** @typedef {(file: string, args: string[], cgroup: string) => Promise<StartedTree>} Contender */

/** @type {Record<string, Contender>} */
export const contenders = {
  async procleash(file, args) {
    const command = await spawn(file, args, { stdout: 'ignore', stderr: 'ignore' })
    return { pid: command.pid, stop: () => command.stop() }
  },

  /** The kernel's own: SIGKILL to all of a cgroup in one write. It needs a cgroup of one's own, and lets nobody clean up. */
  async 'cgroup.kill'(file, args, cgroup) {
    const enter = 'echo $$ >"$0/cgroup.procs" && exec "$@"'
    const { pid } = spawnChild('sh', ['-c', enter, cgroup, file, ...args], { stdio: 'ignore' })
    return {
      pid: pid ?? 0,
      async stop() {
        writeFileSync(`${cgroup}/cgroup.kill`, '1')
        return null
      },
    }
  },

  async 'tree-kill'(file, args) {
    const { pid = 0 } = spawnChild(file, args, { stdio: 'ignore' })
    return {
      pid,
      stop: () => new Promise((resolve) => treeKill(pid, 'SIGTERM', () => resolve(null))),
    }
  },
}
