// npm run bench: how fast and how completely trees are stopped, by procleash and by everybody else, and what it costs.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runtimes } from '../scripts/runtimes.mjs'
import { cleanUpAtExit } from './lib/cleanup.mjs'
import { describeMachine, printMachine } from './lib/machine.mjs'
import { changesBetween, printChanges } from './lib/regressions.mjs'
import { createResults, readResults } from './lib/results.mjs'
import { runGroups, titleOf } from './lib/run.mjs'
import { parts } from './parts/index.mjs'

const MAIN = 'node24'
const EACH = ['node24', 'node20', 'bun', 'deno']
/** Seconds. One group more may be under way when they are over. */
const MOST_QUICK = 165
const MOST_FULL = 2340
const USAGE = `usage: npm run bench -- [PART...] [options]

  PART             ${Object.keys(parts).join(', ')}; all by default
  --runtime NAME   ${EACH.join(', ')}; all by default, and the most in ${MAIN}
  --quick          less than 3 minutes instead of 40
  --case TEXT      only cases whose title ends with it, such as 'shape setsid size 100'
  --contenders A,B only these, such as procleash,cgroup.kill
  --limit SECONDS  for each case, instead of its own time: to try things out
  --rounds COUNT   samples of each point, instead of 30, or 100 where it takes less than 50 ms
  --output FILE    default: bench/results/DATE-MACHINE.json
  --compare OLD    prints what changed since that file; exit status 1 if a ratio got worse beyond the noise
  --results FILE   with --compare: these results, and no new measurement`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runtime: { type: 'string' },
    quick: { type: 'boolean', default: false },
    case: { type: 'string' },
    contenders: { type: 'string' },
    limit: { type: 'string' },
    rounds: { type: 'string' },
    output: { type: 'string' },
    compare: { type: 'string' },
    results: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help) usage(0)
const unknown = positionals.find((name) => !(name in parts))
if (unknown !== undefined) usage(2, `there is no part '${unknown}'`)
if (values.runtime !== undefined && !EACH.includes(values.runtime)) {
  usage(2, `there is no runtime '${values.runtime}'`)
}

if (values.results !== undefined && values.compare === undefined) usage(2, '--results needs --compare')

const all = runtimes()
const old = values.compare === undefined ? undefined : readResults(values.compare)
const current = values.results === undefined ? await measure() : readResults(values.results)
if (old !== undefined && !printChanges(changesBetween(old, current))) process.exitCode = 1

async function measure() {
  cleanUpAtExit()
  const environment = describeMachine(all)
  const file = values.output ?? defaultOutput(environment.kind)
  const groups = chosenGroups()
  printMachine(environment)
  const book = createResults(file, { mode: values.quick ? 'quick' : 'full', environment })
  const names = values.contenders?.split(',')
  const omitted = await runGroups(groups, book, {
    takes: (name) => names?.includes(name) ?? true,
    ...(values.limit === undefined && { most: values.quick ? MOST_QUICK : MOST_FULL }),
  })
  if (omitted.length === 0) book.finish()
  else console.error(`no time for ${omitted.length} cases:\n${omitted.map(titleOf).join('\n')}`)
  console.log(file)
  return book.results
}

function chosenGroups() {
  const wanted = values.runtime === undefined ? EACH : [values.runtime]
  const each = all.filter(({ name, missing }) => wanted.includes(name) && missing === undefined)
  const main = each.find(({ name }) => name === MAIN) ?? each[0]
  if (main === undefined) usage(2, 'the runtime is not installed')
  each.sort((a, b) => EACH.indexOf(a.name) - EACH.indexOf(b.name))
  return Object.entries(parts)
    .filter(([name]) => positionals.length === 0 || positionals.includes(name))
    .flatMap(([, part]) => part({ main, each, quick: values.quick }))
    .filter((group) => values.case === undefined || titleOf(group).endsWith(values.case))
    .map(adjusted)
}

/** @param {import('./lib/run.mjs').Group} group */
function adjusted(group) {
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  return {
    ...group,
    ...(values.limit !== undefined && { seconds: Number(values.limit) }),
    ...(rounds !== undefined && { goal: { ...group.goal, rounds, fastRounds: rounds } }),
  }
}

/** One that is not there yet. @param {string} kind */
function defaultOutput(kind) {
  const folder = fileURLToPath(new URL('results', import.meta.url))
  const name = `${new Date().toISOString().slice(0, 10)}-${kind}${values.quick ? '-quick' : ''}`
  let file = join(folder, `${name}.json`)
  for (let number = 2; existsSync(file); number++) file = join(folder, `${name}-${number}.json`)
  return file
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
