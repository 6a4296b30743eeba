// Talks with a program of ours, a line for a line.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { markedEnvironment } from './cleanup.mjs'

/** Milliseconds that a program may take to go once its standard input has ended. */
const GRACE = 3000

/**
 * @param {string} file
 * @param {readonly string[]} args
 */
export function startProgram(file, args) {
  const child = spawn(file, args, {
    env: { ...markedEnvironment, NODE_NO_WARNINGS: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  // A program that has gone is told by the answer that is missing.
  child.stdin.on('error', () => {})
  return {
    pid: child.pid ?? 0,
    /** @param {string} line */
    async ask(line) {
      child.stdin.write(`${line}\n`)
      const { value } = await lines.next()
      if (value !== undefined) return String(value)
      // A Ctrl-C reaches all of us: our own handler goes first, and this error is not seen.
      await delay(100)
      // Results are published: no folder of this machine is in them.
      const [name, order] = [basename(file), line.split(' ', 1)]
      throw new Error(`${[name, ...args].join(' ')} ended, asked to ${order}`)
    },
    /**
     * Without an answer.
     *
     * @param {string} line
     */
    say(line) {
      child.stdin.write(`${line}\n`)
    },
    kill() {
      child.kill('SIGKILL')
    },
    async end() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), GRACE)
      await exited
      clearTimeout(timer)
    },
  }
}
