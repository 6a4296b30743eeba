// One host process of a chaos or soak run: started, told what to do, listened to.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { asHost } from '../../scripts/runtimes.mjs'
import { end, HOST_VARIABLE, see } from './look.mjs'

const hosts = fileURLToPath(new URL('../hosts/', import.meta.url))

/** Hosts of rounds, in test/hosts/: one under test, and the control. */
export const programs = { procleash: 'chaos/main.mjs', naive: 'chaos/naive.mjs' }

/** Milliseconds for anything that a host does at once, on a busy machine. */
const PATIENCE = 15_000

/**
 * @typedef {{ event: string, [key: string]: any }} HostEvent
 * @typedef {object} ChaosHost
 * @property {number} pid
 * @property {number} startTime
 * @property {string} mark
 * @property {number | undefined} user Whose it is; by default the runner's.
 * @property {Promise<{ code: number | null, signal: string | null }>} ended
 * @property {{ pid: number, startTime: number } | undefined} bystander A child that it has started by the runtime's own
 *   means; the naive host has none.
 * @property {string[] | undefined} descriptors That it had open after its first round.
 * @property {boolean} proven A supervisor of it has started a command.
 * @property {() => boolean} isRunning
 * @property {() => string} stderr
 * @property {(op: string, request?: object) => void} tell
 * @property {() => void} closeInput
 * @property {(listener: (event: HostEvent) => void) => void} listen Takes the place of the listener before.
 * @property {() => Promise<void>} close
 */

/**
 * @param {{ command: string, args: string[], name: string }} runtime
 * @param {string} program In test/hosts/.
 * @param {number} [user] Whose it is to be; needs root.
 * @returns {Promise<ChaosHost>}
 */
export async function startHost(runtime, program, user) {
  const mark = randomUUID()
  const { NODE_OPTIONS: _, ...inherited } = process.env
  const { command, args } = asHost(runtime)
  const child = spawn(command, [...args, `${hosts}${program}`], {
    env: { ...inherited, [HOST_VARIABLE]: mark, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
    detached: true,
    ...(user === undefined ? {} : { uid: user, gid: user }),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  if (child.pid === undefined) throw new Error(`${runtime.command} could not be started`)
  const pid = child.pid
  const startTime = see(pid)?.startTime ?? 0
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr = (stderr + text).slice(-4000)
  })
  child.stdin.on('error', () => {
    // A host that is gone reads nothing.
  })
  /** @type {(event: HostEvent) => void} */
  let listener = () => {}
  /** @type {() => void} */
  let isReady = () => {}
  const ready = new Promise((resolve) => {
    isReady = () => resolve(undefined)
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = parse(line)
    if (event === undefined) stderr += `[stdout] ${line}\n`
    else if (event.event === 'ready') isReady()
    else if (event.event === 'bystander')
      host.bystander = { pid: event.pid, startTime: see(event.pid)?.startTime ?? 0 }
    else listener(event)
  })
  let running = true
  /** @type {ChaosHost['ended']} */
  const ended = new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      running = false
      resolve({ code, signal })
    })
  })
  /** @type {ChaosHost} */
  const host = {
    proven: false,
    bystander: undefined,
    descriptors: undefined,
    pid,
    startTime,
    user,
    mark,
    ended,
    isRunning: () => running,
    stderr: () => stderr,
    tell: (op, request = {}) => {
      child.stdin.write(`${JSON.stringify({ op, ...request })}\n`)
    },
    closeInput: () => {
      child.stdin.end()
    },
    listen: (next) => {
      listener = next
    },
    async close() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 2000)
      await ended
      clearTimeout(timer)
      if (host.bystander !== undefined) end(host.bystander)
    },
  }
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
  await Promise.race([ready, ended])
  clearTimeout(late)
  if (!running) throw new Error(`the ${runtime.name} host ended before it was ready:\n${stderr}`)
  return host
}

/**
 * Whether a host can become another program: Node 20 has no process.execve, nor has Deno.
 *
 * @param {{ name: string }} runtime
 */
export function hasExecve({ name }) {
  return !['node20', 'deno'].includes(name)
}

/**
 * @param {string} line
 * @returns {HostEvent | undefined}
 */
function parse(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
