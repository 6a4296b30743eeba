// npm run faults -- [--scenario S]... [--only TEXT]... [--lanes L]
// Each system call of spawn, stop and reap fails with each error that it can give, at each place; in the host, the
// supervisor, the keeper and the child before its exec. Afterwards nothing is left, what was told was true, and the next
// command works. --only runs the faults whose name (`keeper:openat:EMFILE:3`, with + from then on) contains the text.

import { parseArgs } from 'node:util'
import { faultName, SCENARIOS } from '../test/faults/plan.mjs'
import { runFaults } from '../test/faults/run.mjs'
import { checkNames, createProgress, positive } from './arguments.mjs'

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    lanes: { type: 'string', default: '3' },
  },
})

const scenarios = values.scenario ?? SCENARIOS
checkNames(
  'scenario',
  scenarios.filter((name) => name !== 'naive'),
  SCENARIOS,
)
const lanes = positive('lanes', values.lanes)

/** @param {import('../test/faults/page.mjs').Fault} fault */
const only = (fault) => values.only?.some((text) => faultName(fault).includes(text)) ?? true

const progress = createProgress()
/** @type {import('../test/faults/run.mjs').Tally[]} */
const tallies = []
for (const scenario of scenarios) {
  let shown = 0
  const tally = await runFaults({
    scenario,
    lanes,
    only,
    progress(soFar) {
      for (; shown < soFar.failures.length; shown += 1) showFailure(scenario, soFar.failures[shown])
      progress(() => `${scenario}: ${soFar.runs}/${soFar.planned}, ${soFar.failures.length} failures`)
    },
  })
  for (; shown < tally.failures.length; shown += 1) showFailure(scenario, tally.failures[shown])
  tallies.push(tally)
  console.log(`${scenario}: ${tally.runs} runs, ${tally.failures.length} failures`)
}

console.log('\n| scenario | faults | not reached | ended in | failures |\n| --- | --- | --- | --- | --- |')
for (const { scenario, runs, missed, endings, failures } of tallies) {
  const ends = [...endings].sort(([, a], [, b]) => b - a).map(([ending, count]) => `${ending} ${count}`)
  console.log(`| ${scenario} | ${runs} | ${missed} | ${ends.join(', ')} | ${failures.length} |`)
}
if (tallies.some(({ failures, runs }) => failures.length > 0 || runs === 0)) process.exitCode = 1

/**
 * @param {string} scenario
 * @param {import('../test/faults/run.mjs').Tally['failures'][number] | undefined} failure
 */
function showFailure(scenario, failure) {
  if (failure === undefined) return
  console.log(`FAILED ${scenario} ${failure.fault}\n  ${failure.complaints.join('\n  ')}`)
}
