// The ways to start a command that are compared, without a tree and without a stop.

import { spawn as spawnChild } from 'node:child_process'
import { once } from 'node:events'
import { spawn } from '../../dist/src/index.js'

/**
 * @typedef {object} Started
 * @property {Promise<unknown>} started The command runs.
 * @property {() => Promise<unknown>} ended
 */

/** @typedef {(file: string, args: readonly string[], output: 'pipe' | 'ignore') => Started} Starter */

/** @type {Record<string, Starter>} */
export const starters = {
  procleash(file, args, output) {
    const started = spawn(file, args, { stdout: output, stderr: output })
    return { started, ended: async () => (await started).settled }
  },

  child_process(file, args, output) {
    const child = spawnChild(file, args, { stdio: ['ignore', output, output] })
    const closed = once(child, 'close')
    return { started: once(child, 'spawn'), ended: () => closed }
  },

  'bun.spawn'(file, args, output) {
    const { Bun } = /** @type {any} */ (globalThis)
    const child = Bun.spawn([file, ...args], { stdio: ['ignore', output, output] })
    return { started: Promise.resolve(), ended: () => child.exited }
  },

  'deno.command'(file, args, output) {
    const { Deno } = /** @type {any} */ (globalThis)
    const stdio = output === 'pipe' ? 'piped' : 'null'
    const child = new Deno.Command(file, { args, stdin: 'null', stdout: stdio, stderr: stdio }).spawn()
    return { started: Promise.resolve(), ended: () => child.status }
  },
}
