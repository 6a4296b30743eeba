// A program that is PID 1 of a container itself: `pid1.mjs <folder> [deaf]`. In subreaper mode it runs 40 children of
// its own beside 20 shells that leave a sleep (C52, C55), notes what it got in `result.json`, then leaves a daemon. On
// SIGTERM it stops everything and ends with 7; not when it is deaf: then it has no handler.

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { enableSubreaper, inspectTree, run, stopTree } from '../../dist/src/index.js'

const ORPHANS = 20
const PATIENCE = 15_000
const [folder, deaf] = process.argv.slice(2)

// It saves for 200 ms.
const daemon = `trap 'sleep 0.2; : >${folder}/mark.saved; exit' TERM; : >${folder}/ready; while :; do sleep 0.01; done`

const statusOf = (...argv) =>
  new Promise((resolve) => {
    spawn(argv[0], argv.slice(1), { stdio: 'ignore' }).once('exit', resolve)
  })

function zombies() {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
  return stats.filter(([state, parent]) => state === 'Z' && parent === String(process.pid)).length
}

function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

async function stopEverything() {
  const isHelper = ({ argv }) => argv[0] === 'procleash-supervisor'
  const children = (await inspectTree(process.pid)).filter(({ ppid }) => ppid === process.pid)
  const stops = children
    .filter((child) => !isHelper(child))
    .map(({ pid, startTime }) => stopTree(pid, { startTime, budget: 5000 }))
  await Promise.allSettled(stops)
  process.exit(7)
}

if (deaf === undefined) process.on('SIGTERM', () => void stopEverything())
const subreaper = enableSubreaper()
const { settlement } = await run('sh', ['-c', 'setsid sleep 61 & :'])
const own = Array.from({ length: 40 }, () => statusOf('sh', '-c', 'exit 7'))
for (let i = 0; i < ORPHANS; i++) own.push(statusOf('sh', '-c', 'sleep 0.2 & exit 7'))
const codes = await Promise.all(own)
const left = performance.now()
const isClean = () => subreaper.counts().reaped >= ORPHANS && zombies() === 0
while (!isClean() && performance.now() - left < PATIENCE) await pause(10)
const result = {
  pid: process.pid,
  codes: [...new Set(codes)],
  zombies: zombies(),
  reaped: subreaper.counts().reaped,
  cleanAfter: performance.now() - left,
  outcome: settlement.outcome,
}
writeFileSync(`${folder}/result.part`, JSON.stringify(result))
renameSync(`${folder}/result.part`, `${folder}/result.json`)
spawn('setsid', ['-f', 'sh', '-c', daemon], { stdio: 'ignore' })
let beat = 0
setInterval(() => writeFileSync(`${folder}/beat`, String(++beat)), 20)
