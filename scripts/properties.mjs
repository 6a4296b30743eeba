// npm run properties -- [--runs N] [--minutes M] [--seed S] [--runtime R]... [--path P] [--case JSON] [--user U] [--control]
// Random trees of the language in test/properties/script.mjs, random actions at random moments: what is seen from
// outside and what is said fits the script. Ends with 1 when it doesn't, with the smallest round that shows it.
// --minutes M: no round begins after that, in each runtime. --path P, with the seed, has a found round again; --case takes one as it was printed, --runs times.
// --user U: the number of the user whose the hosts are; who becomes root in their trees has to be a named survivor.
// --control runs hosts that use child_process instead of procleash.

import { parseArgs } from 'node:util'
import { failureText, progressLine, summary } from '../test/properties/report.mjs'
import { runProperties } from '../test/properties/run.mjs'
import { chosenRuntimes, createProgress, positive, ROUND_OPTIONS } from './arguments.mjs'

const { values } = parseArgs({
  options: {
    ...ROUND_OPTIONS,
    runs: { type: 'string' },
    minutes: { type: 'string' },
    path: { type: 'string' },
    case: { type: 'string' },
    user: { type: 'string' },
  },
})

const seed = positive('seed', values.seed ?? String((Date.now() % 1_000_000) + 1))
const runs = positive('runs', values.runs ?? (values.case === undefined ? '200' : '1'))
const most = values.minutes === undefined ? {} : { most: positive('minutes', values.minutes) * 60_000 }
const user = values.user === undefined ? {} : { user: positive('user', values.user) }
const only = values.case === undefined ? {} : { only: JSON.parse(values.case) }
const path = values.path === undefined ? {} : { path: values.path }

/** @type {import('../test/properties/run.mjs').Result[]} */
const results = []
console.log(`properties: ${runs} rounds a runtime, seed ${seed}`)
for (const runtime of chosenRuntimes(values.runtime)) {
  const progress = createProgress()
  const result = await runProperties({
    runtime,
    runs,
    seed,
    ...most,
    ...user,
    ...path,
    ...only,
    program: values.control ? 'naive' : 'procleash',
    progress: (soFar) => progress(() => progressLine(soFar, runs)),
  })
  console.log(progressLine(result, runs))
  if (result.failure !== undefined) {
    process.exitCode = 1
    console.log(failureText(result.failure, { runtime: runtime.name, seed, smaller: result.smaller }))
  }
  results.push(result)
}
console.log(`\nseed ${seed}\n${summary(results)}`)
