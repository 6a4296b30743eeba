// npm run fuzz -- [--time 60s] [TARGET]...
// libFuzzer on the parsers of bytes that we did not write, each target for that long; all of them by default. Starts from
// test/fuzz/corpus and what earlier runs have found (build/fuzz/found). Ends with 1 at the first fault of a target, and
// says where its input is: put it into test/fuzz/corpus/TARGET with the mend, and `npm test` replays it.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildTargets, corpusFolder, TARGETS } from '../test/fuzz/build.mjs'
import { ensureFuzzer, root } from './clang.mjs'

const { values, positionals } = parseArgs({
  options: { time: { type: 'string', default: '60s' } },
  allowPositionals: true,
})
const unknown = positionals.find((name) => !TARGETS.includes(name))
const time = /^(\d+)(s|m)$/.exec(values.time)
if (unknown !== undefined || time === null) {
  console.error('usage: npm run fuzz -- [--time 60s|10m] [TARGET]...')
  console.error(`targets: ${TARGETS.join(' ')}`)
  process.exit(2)
}
const seconds = Number(time[1]) * (time[2] === 'm' ? 60 : 1)

ensureFuzzer()
const program = await buildTargets('fuzzer')
for (const target of positionals.length > 0 ? positionals : TARGETS) {
  if (!fuzz(target)) process.exitCode = 1
}

/** @param {string} target */
function fuzz(target) {
  const found = join(root, 'build/fuzz/found', target)
  const faults = join(root, 'build/fuzz/faults', target)
  for (const folder of [found, faults]) mkdirSync(folder, { recursive: true })
  const corpora = [found, join(corpusFolder, target)].filter((folder) => existsSync(folder))
  const { status, signal, stderr } = spawnSync(
    program,
    [
      `-max_total_time=${seconds}`,
      '-max_len=4096',
      '-timeout=10',
      `-artifact_prefix=${faults}/`,
      '-print_final_stats=1',
      ...corpora,
    ],
    { env: { ...process.env, PROCLEASH_FUZZ_TARGET: target }, encoding: 'utf8', maxBuffer: 64 << 20 },
  )
  const runs = /stat::number_of_executed_units: (\d+)/.exec(stderr)?.[1] ?? '?'
  const coverage = [...stderr.matchAll(/cov: (\d+)/g)].at(-1)?.[1] ?? '?'
  const passed = status === 0
  console.log(
    `${target}: ${passed ? 'no fault' : 'FAULT'}, ${runs} runs in ${seconds} s, ${coverage} edges covered`,
  )
  if (!passed) console.log(`${signal ?? ''}${stderr.slice(-6000)}`)
  return passed
}
