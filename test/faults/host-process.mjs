// One host process of a fault run: started, asked, listened to.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { HOST_VARIABLE } from '../chaos/look.mjs'
import { library } from './build.mjs'

const program = fileURLToPath(new URL('host.mjs', import.meta.url))

/**
 * @typedef {object} Message
 * @property {string} event
 * @property {any} [first]
 * @property {any} [later]
 * @property {{ pid: number, startTime: number }[]} [members]
 */

/**
 * @param {string} page
 * @param {string} mark
 */
export function startHost(page, mark) {
  const child = spawn(process.execPath, [program, library, page], {
    env: { ...process.env, [HOST_VARIABLE]: mark, PROCLEASH_FAULT_PAGE: page },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-2000)))
  child.stdin.on('error', () => {
    // A host that has ended reads no more.
  })
  /** @type {Promise<string>} */
  const ended = once(child, 'exit').then(([code, signal]) => String(code ?? signal))
  /** @type {(message: Message) => void} */
  let hear = () => {}
  createInterface({ input: child.stdout }).on('line', (line) => hear(JSON.parse(line)))
  return {
    pid: child.pid ?? 0,
    ended,
    stderr: () => errors,
    /** @param {string} line */
    ask: (line) => child.stdin.write(`${line}\n`),
    /** @returns {Promise<Message>} */
    word: () =>
      new Promise((resolve) => {
        hear = resolve
        // Its last line may still be on the way.
        void ended.then((exit) => setTimeout(resolve, 200, { event: 'end', exit, errors }))
      }),
    closeInput: () => child.stdin.end(),
    kill: () => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL'),
  }
}
