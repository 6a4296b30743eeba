// npm run bench:quick: the figures that procleash promises, as ratios to others in the same run or against the budget.
// Exit status 1 if a target was missed.

import { parseArgs } from 'node:util'
import { runtimes } from '../scripts/runtimes.mjs'
import { cleanUpAtExit } from './lib/cleanup.mjs'
import { describeMachine, printMachine } from './lib/machine.mjs'
import { printSummary } from './lib/report.mjs'
import { benchCrowd } from './quick/crowd.mjs'
import { benchMemory } from './quick/memory.mjs'
import { benchSpawn } from './quick/spawn.mjs'
import { benchStop } from './quick/stop.mjs'
import { benchThroughput } from './quick/throughput.mjs'

/** @typedef {import('../scripts/runtimes.mjs').Runtime} Runtime */

/**
 * @typedef {object} Setting
 * @property {Runtime} main Host of what is measured in one runtime, because the runtime has no part in it.
 * @property {readonly Runtime[]} each Hosts of what is measured in each.
 */

/** @type {Record<string, (setting: Setting) => Promise<void>>} */
const benches = {
  memory: benchMemory,
  spawn: benchSpawn,
  throughput: benchThroughput,
  stop: benchStop,
  crowd: benchCrowd,
}
const MAIN = 'node24'
const EACH = ['node20', 'node24', 'bun', 'deno']

const { values } = parseArgs({
  options: { only: { type: 'string' }, runtime: { type: 'string' }, help: { type: 'boolean' } },
})
const all = runtimes()
const names = all.map(({ name }) => name)
if (values.help) usage(0)
if (values.only !== undefined && !(values.only in benches)) usage(2, `there is no '${values.only}'`)
if (values.runtime !== undefined && !all.some(({ name }) => name === values.runtime)) {
  usage(2, `there is no runtime '${values.runtime}'`)
}

cleanUpAtExit()
const began = Date.now()
const setting = chooseRuntimes()
printMachine(describeMachine(all))
for (const [name, bench] of Object.entries(benches)) {
  if (values.only === undefined || values.only === name) await bench(setting)
}
const missed = printSummary()
console.log(`${((Date.now() - began) / 1000).toFixed(0)} s`)
process.exitCode = missed === 0 ? 0 : 1

/** @returns {Setting} */
function chooseRuntimes() {
  const wanted = values.runtime === undefined ? EACH : [values.runtime]
  const each = all.filter(({ name, missing }) => wanted.includes(name) && missing === undefined)
  const main = each.find(({ name }) => name === MAIN) ?? each[0]
  if (main === undefined) usage(2, 'the runtime is not installed')
  return { main, each }
}

/**
 * @param {number} status
 * @param {string} [problem]
 * @returns {never}
 */
function usage(status, problem) {
  if (problem !== undefined) console.error(`bench: ${problem}`)
  const print = status === 0 ? console.log : console.error
  print(
    `usage: node bench/quick.mjs [--only ${Object.keys(benches).join('|')}] [--runtime ${names.join('|')}]`,
  )
  process.exit(status)
}
