// npm run bench: how fast and how completely trees are stopped, by procleash and by everybody else, and what it costs.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runtimes } from '../scripts/runtimes.mjs'
import { cleanUpAtExit } from './lib/cleanup.mjs'
import { describeMachine, printMachine } from './lib/machine.mjs'
import { createResults } from './lib/results.mjs'
import { runGroups } from './lib/run.mjs'
import { parts } from './parts/index.mjs'

const MAIN = 'node24'
const EACH = ['node24', 'node20', 'bun', 'deno']
const USAGE = `usage: npm run bench -- [PART...] [options]

  PART             ${Object.keys(parts).join(', ')}; all by default
  --runtime NAME   ${EACH.join(', ')}; all by default, and the most in ${MAIN}
  --quick          less than 3 minutes instead of 40
  --limit SECONDS  for each case, instead of its own time: to try things out
  --output FILE    default: bench/results/DATE-MACHINE.json`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runtime: { type: 'string' },
    quick: { type: 'boolean', default: false },
    limit: { type: 'string' },
    output: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help) usage(0)
const unknown = positionals.find((name) => !(name in parts))
if (unknown !== undefined) usage(2, `there is no part '${unknown}'`)
if (values.runtime !== undefined && !EACH.includes(values.runtime)) {
  usage(2, `there is no runtime '${values.runtime}'`)
}

cleanUpAtExit()
const all = runtimes()
const environment = describeMachine(all)
const file = values.output ?? defaultOutput(environment.kind)
const groups = chosenGroups()
printMachine(environment)
const results = createResults(file, { mode: values.quick ? 'quick' : 'full', environment })
await runGroups(groups, results)
results.finish()
console.log(file)

function chosenGroups() {
  const wanted = values.runtime === undefined ? EACH : [values.runtime]
  const each = all.filter(({ name, missing }) => wanted.includes(name) && missing === undefined)
  const main = each.find(({ name }) => name === MAIN) ?? each[0]
  if (main === undefined) usage(2, 'the runtime is not installed')
  each.sort((a, b) => EACH.indexOf(a.name) - EACH.indexOf(b.name))
  const seconds = values.limit === undefined ? undefined : Number(values.limit)
  return Object.entries(parts)
    .filter(([name]) => positionals.length === 0 || positionals.includes(name))
    .flatMap(([, part]) => part({ main, each, quick: values.quick }))
    .map((group) => (seconds === undefined ? group : { ...group, seconds }))
}

/** @param {string} kind */
function defaultOutput(kind) {
  const day = new Date().toISOString().slice(0, 10)
  return join(fileURLToPath(new URL('results', import.meta.url)), `${day}-${kind}.json`)
}

/**
 * @param {number} status
 * @param {string} [problem]
 * @returns {never}
 */
function usage(status, problem) {
  if (problem !== undefined) console.error(`bench: ${problem}\n`)
  const print = status === 0 ? console.log : console.error
  print(USAGE)
  process.exit(status)
}
