// npm run chaos -- [--rounds N] [--seed S] [--runtime R]... [--round K] [--lanes L] [--failures F] [--control]
// Random trees, random faults: afterwards nothing is left, and every living host has told the truth. The seed decides
// all that can be decided. Ends with 1 when a round failed; --round repeats one, --rounds times.
// --control runs hosts that use child_process instead of procleash: the run must find what those leave.

import { parseArgs } from 'node:util'
import { failureText, progressLine, summary } from '../test/chaos/report.mjs'
import { runChaos } from '../test/chaos/run.mjs'
import { chosenRuntimes, createProgress, positive, ROUND_OPTIONS } from './arguments.mjs'

const { values } = parseArgs({
  options: {
    ...ROUND_OPTIONS,
    rounds: { type: 'string' },
    round: { type: 'string' },
    lanes: { type: 'string', default: '3' },
    failures: { type: 'string', default: '10' },
  },
})

const single = values.round === undefined ? undefined : positive('round', values.round)
const count = positive('rounds', values.rounds ?? (single === undefined ? '200' : '1'))
const rounds = Array.from({ length: count }, (_, index) => single ?? index + 1)
const seed = values.seed ?? String(Date.now() % 1_000_000)
const lanes = positive('lanes', values.lanes)

/** @type {import('../test/chaos/run.mjs').Result[]} */
const results = []
const progress = createProgress()
console.log(`chaos: ${count} rounds a runtime, seed ${seed}, ${lanes} hosts at once`)
for (const runtime of chosenRuntimes(values.runtime)) {
  let shown = 0
  const result = await runChaos({
    runtime,
    rounds,
    seed,
    lanes,
    mostFailures: positive('failures', values.failures),
    program: values.control ? 'naive' : 'procleash',
    progress(soFar) {
      for (; shown < soFar.failures.length; shown += 1) {
        const failure = soFar.failures[shown]
        if (failure !== undefined) console.log(failureText(failure, { runtime: runtime.name, seed }))
      }
      if (process.stdout.isTTY) process.stdout.write(`\r${progressLine(soFar, count)} `)
      else progress(() => progressLine(soFar, count))
    },
  })
  console.log(`${process.stdout.isTTY ? '\r' : ''}${progressLine(result, count)}`)
  results.push(result)
}
console.log(`\n${summary(results, seed)}`)
if (results.some(({ failures, rounds: done }) => failures.length > 0 || done < count)) process.exitCode = 1
