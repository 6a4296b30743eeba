// A command of node:child_process, with its output read to the end.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * @param {string} file
 * @param {string[]} args
 */
export function spawnChild(file, args) {
  return run(file, args, { maxBuffer: 2 ** 24 })
}
