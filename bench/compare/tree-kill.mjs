// stopTree beside tree-kill, on one tree of 100 that obeys SIGTERM: how long each takes, how many processes it starts,
// how many it leaves. `node bench/compare/tree-kill.mjs [--runs N]`. Exit status 1 if a target was missed.

import childProcess from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { stopTree } from '../../dist/src/index.js'
import { runtimes } from '../../scripts/runtimes.mjs'
import { cleanUpAtExit, endMarked, markedEnvironment } from '../lib/cleanup.mjs'
import { describeMachine, printMachine } from '../lib/machine.mjs'
import { pidsWithMark } from '../lib/proc.mjs'

const TARGET = 20
const mark = `PROCLEASH_BENCH=${markedEnvironment.PROCLEASH_BENCH}`

/** What tree-kill takes from node:child_process, counted. */
let started = 0
const realSpawn = childProcess.spawn
childProcess.spawn = /** @type {typeof realSpawn} */ (
  (/** @type {Parameters<typeof realSpawn>} */ ...args) => {
    started += 1
    return realSpawn(...args)
  }
)
const treeKill = createRequire(import.meta.url)('tree-kill')

/** @type {Record<string, (pid: number) => Promise<unknown>>} */
const contenders = {
  stopTree: (pid) => stopTree(pid, { budget: 5000 }),
  'tree-kill': (pid) => new Promise((resolve) => treeKill(pid, 'SIGTERM', resolve)),
}

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } })
cleanUpAtExit()
printMachine(describeMachine(runtimes()))
/** @type {Record<string, { time: number, started: number, left: number }>} */
const results = {}
for (const [name, stop] of Object.entries(contenders)) {
  const runs = []
  for (let run = 0; run < Number(values.runs); run += 1) runs.push(await measure(stop))
  runs.sort((a, b) => a.time - b.time)
  const time = runs[Math.floor(runs.length / 2)]?.time ?? Infinity
  const worst = {
    started: Math.max(...runs.map((r) => r.started)),
    left: Math.max(...runs.map((r) => r.left)),
  }
  results[name] = { time, ...worst }
  const span = `${runs[0]?.time.toFixed(1)} to ${runs.at(-1)?.time.toFixed(1)}`
  console.log(
    `${name.padEnd(9)}  ${time.toFixed(1)} ms (${span}), ${worst.started} processes started, ${worst.left} of 100 left`,
  )
}
const { stopTree: ours, 'tree-kill': theirs } = results
const ratio = (theirs?.time ?? 0) / (ours?.time ?? Infinity)
console.log(`stopTree is ${ratio.toFixed(0)} times faster (target: ${TARGET})`)
process.exitCode = ratio >= TARGET && ours?.left === 0 ? 0 : 1

/**
 * Time until the call says that it is done; what is left is counted a second later, and then ended.
 *
 * @param {(pid: number) => Promise<unknown>} stop
 */
async function measure(stop) {
  const folder = mkdtempSync(join(tmpdir(), 'procleash-tree-kill-'))
  const ready = join(folder, 'ready')
  const program = fileURLToPath(new URL('hundred.py', import.meta.url))
  const child = realSpawn('python3', [program, ready], {
    env: markedEnvironment,
    detached: true,
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  try {
    // A process has no environment for a moment while it execs.
    while (!existsSync(ready) || pidsWithMark(mark).length < 100) await delay(5)
    started = 0
    const began = performance.now()
    await stop(child.pid ?? 0)
    const time = performance.now() - began
    await delay(1000)
    const left = pidsWithMark(mark).length
    return { time, started, left }
  } finally {
    endMarked()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}
