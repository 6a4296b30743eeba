// What procleash costs: commands that sit there, that work, and that are looked at.

import { readdirSync, readFileSync } from 'node:fs'
import * as procleash from '../../dist/src/index.js'
import { now } from './clock.mjs'
import { serve } from './serve.mjs'
import { spawnChild } from './start.mjs'

/** Not in every version. @type {Record<string, any>} */
const names = procleash

/** @type {procleash.Subprocess[]} */
let commands = []

/** @type {Record<string, () => Promise<unknown> | unknown>} */
const lookers = {
  'procleash processes()': () => commands[0]?.processes(),
  'procleash inspectTree()': () => names.inspectTree(commands[0]?.pid),
  'ps -A': () => spawnChild('ps', ['-A', '-o', 'ppid,pid']),
  '/proc in JavaScript': parents,
}

await serve({
  /** Answers the command's pids. @param {{ count: number, file: string, args: string[] }} details */
  async start({ count, file, args }) {
    const options = /** @type {const} */ ({ stdout: 'ignore', stderr: 'ignore' })
    commands = await Promise.all(Array.from({ length: count }, () => procleash.spawn(file, args, options)))
    return { pids: commands.map(({ pid }) => pid) }
  },

  async stop() {
    await Promise.all(commands.map((command) => command.stop()))
    commands = []
  },

  /** Short commands, one after the other. @param {{ count: number }} details */
  async work({ count }) {
    for (let done = 0; done < count; done++) await (await procleash.spawn('true')).settled
  },

  missing: ({ name }) => ({
    missing:
      name === 'procleash inspectTree()' && names.inspectTree === undefined
        ? 'this version has no inspectTree()'
        : undefined,
  }),

  /** `time`: milliseconds until the tree was known. @param {{ name: string }} details */
  async look({ name }) {
    const before = now()
    await lookers[name]?.()
    return { time: now() - before }
  },
})

/** What a program that looks for a tree by itself has to read. */
function parents() {
  const found = new Map()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      found.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]))
    } catch {
      // Ended since.
    }
  }
  return found
}
