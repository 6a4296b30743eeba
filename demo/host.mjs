// The program of a user of procleash. The demo runs it once in each runtime, and reads the JSON lines that it prints.

import { fileURLToPath } from 'node:url'
import { spawn } from '../dist/src/index.js'
import { pidsWithMark } from './proc.mjs'

/** @typedef {import('../dist/src/index.js').Subprocess} Subprocess */

const TIMEOUT = 300
const BLOCKED = 2000
const treeProgram = fileURLToPath(new URL('tree-program.py', import.meta.url))

await stopTheTree()
await blockTheLoop()
await waitToBeKilled()

async function stopTheTree() {
  const mark = { name: 'PROCLEASH_DEMO_TREE', value: String(process.pid) }
  const command = await spawn('python3', [treeProgram], { env: { ...process.env, [mark.name]: mark.value } })
  const roles = await rolesOf(command)
  tell('tree', { roles, processes: await command.processes() })
  const settlement = await command.stop()
  tell('stopped', { settlement, left: pidsWithMark(mark).length })
}

async function blockTheLoop() {
  const began = Date.now()
  const command = await spawn('sh', ['-c', 'setsid sleep 60 & sleep 60 & echo ready; wait'], {
    timeout: TIMEOUT,
  })
  const ownTimer = sinceAfter(began, TIMEOUT)
  await readLines(command, 1)
  tell('blocking', { began, processes: await command.processes() })
  while (Date.now() < began + BLOCKED);
  tell('unblocked', { after: Date.now() - began })
  tell('timed-out', { settlement: await command.settled, ownTimer: await ownTimer })
}

/** Never comes back. The end of standard input means that the demo itself is gone. */
async function waitToBeKilled() {
  const command = await spawn('python3', [treeProgram])
  await rolesOf(command)
  tell('waiting', { processes: await command.processes() })
  for await (const _ of process.stdin);
  process.exit()
}

/**
 * When a timer of this runtime really fires.
 *
 * @param {number} began
 * @param {number} delay
 * @returns {Promise<number>}
 */
function sinceAfter(began, delay) {
  return new Promise((resolve) => setTimeout(() => resolve(Date.now() - began), delay))
}

/**
 * The tree is complete once all five have said who they are: `PID ROLE`.
 *
 * @param {Subprocess} command
 * @returns {Promise<Record<string, string>>}
 */
async function rolesOf(command) {
  const lines = await readLines(command, 5)
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  )
}

/**
 * @param {Subprocess} command
 * @param {number} count
 */
async function readLines(command, count) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (command.stdout).getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.split('\n').length <= count) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the command ended before it was ready: ${JSON.stringify(text)}`)
    text += decoder.decode(value, { stream: true })
  }
  return text.split('\n').slice(0, count)
}

/**
 * @param {string} fact
 * @param {object} details
 */
function tell(fact, details) {
  console.log(JSON.stringify({ fact, ...details }))
}
