// Starts a host program of hosts/ in one of the runtimes and asks it for work, in JSON.

import { fileURLToPath } from 'node:url'
import { asHost } from '../../scripts/runtimes.mjs'
import { startProgram } from './lines.mjs'

/** @typedef {import('../../scripts/runtimes.mjs').Runtime} Runtime */
/** @typedef {ReturnType<typeof startHost>} Host */

/** Without this, Deno does not take packages from node_modules once it is told to read no configuration. */
const DENO_ARGS = ['--node-modules-dir=manual']

/**
 * @param {Runtime} runtime
 * @param {string} file In hosts/.
 * @param {readonly string[]} [more] Arguments of the runtime.
 */
export function startHost(runtime, file, more = []) {
  const { name, command, args } = asHost(runtime)
  const path = fileURLToPath(new URL(`../hosts/${file}`, import.meta.url))
  const own = name === 'deno' ? DENO_ARGS : []
  const program = startProgram(command, [...args, ...own, ...more, path])
  return {
    pid: program.pid,
    kill: program.kill,
    /**
     * @param {string} task
     * @param {object} [details]
     */
    ask: async (task, details) => JSON.parse(await program.ask(JSON.stringify({ task, ...details }))),
    end: program.end,
  }
}
