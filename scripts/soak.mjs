// npm run soak -- [--minutes M] [--runtime R]... [--output FOLDER] [--leak WHAT]
// A host that behaves like an agent runtime for M minutes, 20 unless told otherwise, is watched from outside: memory,
// descriptors, threads, processes, loop delay. Ends with 1 when one of them grew, something was left, or an act went
// wrong. Several runtimes run beside each other; default: node24, bun and deno. Ctrl-C ends the run with what it has.
// Samples and pictures go to build/soak/. --leak descriptors|memory|processes: a host that does so; it has to be found.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { svgOf } from '../bench/report/svg.mjs'
import { HEIGHT, pictureOf } from '../test/soak/picture.mjs'
import { isGood, progressLine, summary } from '../test/soak/report.mjs'
import { runSoak } from '../test/soak/run.mjs'
import { judge } from '../test/soak/verdict.mjs'
import { chosenRuntimes, createProgress, refuse } from './arguments.mjs'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    runtime: { type: 'string', multiple: true, default: ['node24', 'bun', 'deno'] },
    output: { type: 'string', default: fileURLToPath(new URL('../build/soak', import.meta.url)) },
    leak: { type: 'string', default: 'none' },
  },
})

const LEAKS = /** @type {const} */ (['none', 'descriptors', 'memory', 'processes'])

const minutes = Number(values.minutes)
if (!(minutes > 0)) refuse(`--minutes must be a number above 0, not ${values.minutes}`)
const leak =
  LEAKS.find((name) => name === values.leak) ??
  refuse(`--leak must be one of ${LEAKS.join(', ')}, not ${values.leak}`)

const interrupt = new AbortController()
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.once(signal, () => interrupt.abort())

/** @param {import('./runtimes.mjs').Runtime} runtime */
async function soak(runtime) {
  const progress = createProgress()
  let shown = 0
  const run = await runSoak({
    runtime,
    minutes,
    leak,
    signal: interrupt.signal,
    progress(soFar) {
      for (; shown < soFar.troubles.length; shown += 1) console.log(`TROUBLE ${soFar.troubles[shown]}`)
      progress(() => progressLine(soFar))
    },
  })
  const findings = judge(run)
  writeFileSync(
    join(values.output, `${run.runtime}.json`),
    `${JSON.stringify({ ...run, findings }, null, 1)}\n`,
  )
  for (const mode of /** @type {const} */ (['light', 'dark'])) {
    writeFileSync(join(values.output, `${run.runtime}.${mode}.svg`), svgOf(pictureOf(run, mode), HEIGHT))
  }
  console.log(`\n${summary(run, findings)}`)
  if (!isGood(run, findings)) process.exitCode = 1
}

mkdirSync(values.output, { recursive: true })
await Promise.all(chosenRuntimes(values.runtime).map(soak))
console.log(`\nsamples and pictures: ${values.output}`)
if (interrupt.signal.aborted) process.exitCode ||= 130
