// One script against two implementations: node:child_process and procleash/child-process, in any runtime. Prints, for
// each check, what Node's own child_process gives and what was given here; what that means is the test's business.

import * as childProcess from 'node:child_process'
import process from 'node:process'
import { spawn } from '../../../dist/src/child-process/index.js'
import { ending } from './ending.mjs'
import { failing } from './failing.mjs'
import { options } from './options.mjs'
import { starting } from './starting.mjs'
import { stdio } from './stdio.mjs'
import { streams } from './streams.mjs'
import { strays } from './tools.mjs'

const [implementation, only] = process.argv.slice(2)
// Bun's and Deno's own never answer some checks; ours has to answer all.
const DEADLINE = implementation === 'node' ? 5000 : 20_000
const tested = implementation === 'node' ? childProcess.spawn : spawn

async function outcome(check) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve('no answer'), DEADLINE)
  })
  try {
    return await Promise.race([check(tested), late])
  } catch (error) {
    return `threw ${error?.code ?? ''} ${error?.message}`
  } finally {
    clearTimeout(timer)
  }
}

const results = {}
for (const [name, node, check] of [...starting, ...streams, ...stdio, ...ending, ...options, ...failing]) {
  if (only !== undefined && !name.includes(only)) continue
  // By way of JSON, so that undefined and null read the same on both sides.
  results[name] = JSON.parse(JSON.stringify({ node, given: await outcome(check) }))
}
results['no exception that nobody expects'] = { node: [], given: strays }
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0))
