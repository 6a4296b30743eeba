// Runs the same trees with procleash and with other ways to stop a command, looks in /proc what is left, and prints a
// markdown table. `node bench/compare/compare.mjs [--runs N] [--only PEER,...]`; takes about seven minutes.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runtimes } from '../../scripts/runtimes.mjs'
import { versionOf } from '../contenders/load.mjs'
import { countLeft, deathOf, endAll } from './watch.mjs'

/** @typedef {import('../../scripts/runtimes.mjs').RuntimeName} RuntimeName */
/** @typedef {{ readonly tree: string, readonly members: number, readonly title: string }} Tree */
/** @typedef {{ readonly peer: string, readonly runtime: RuntimeName, readonly title: string }} Row */

const STOP_DEADLINE = 5000
const TIMEOUT = 300

/** @type {Tree[]} */
const trees = [
  { tree: 'plain', members: 2, title: 'plain child' },
  { tree: 'session', members: 2, title: '`setsid` child' },
  { tree: 'daemon', members: 2, title: 'double-forked daemon' },
  { tree: 'deaf', members: 2, title: 'SIGTERM-ignoring child' },
  { tree: 'hopper', members: 2, title: 're-forks every 5 ms' },
]
/** @type {Tree} */
const everything = { tree: 'everything', members: 5, title: 'host SIGKILLed' }

/** @type {Row[]} */
const rows = [
  { peer: 'procleash', runtime: 'node24', title: 'procleash' },
  { peer: 'procleash', runtime: 'bun', title: 'procleash' },
  { peer: 'procleash', runtime: 'deno', title: 'procleash' },
  { peer: 'child.kill', runtime: 'node24', title: '`child_process`, `child.kill()`' },
  { peer: 'process.kill', runtime: 'node24', title: '`process.kill(-pid)`, then SIGKILL' },
  {
    peer: 'tree-kill',
    runtime: 'node24',
    title: `tree-kill ${versionOf('tree-kill')}, SIGKILL after 500 ms`,
  },
  { peer: 'execa', runtime: 'node24', title: `execa ${versionOf('execa')}, \`forceKillAfterDelay: 500\`` },
  { peer: 'tinyexec', runtime: 'node24', title: `tinyexec ${versionOf('tinyexec')}` },
  { peer: 'bun.spawn', runtime: 'bun', title: '`Bun.spawn`, `kill()`' },
  { peer: 'deno.command', runtime: 'deno', title: '`Deno.Command`, `kill()`' },
]

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, only: { type: 'string' } },
})
const runs = Number(values.runs)
const chosen = values.only?.split(',')

const installed = runtimes()
const titles = [...trees.map(({ title }) => title), everything.title, `timeout ${TIMEOUT} ms, loop blocked`]
console.log(`| | ${titles.join(' | ')} |\n|${' --- |'.repeat(titles.length + 1)}`)
for (const row of rows) {
  if (chosen !== undefined && !chosen.includes(row.peer)) continue
  const cells = []
  for (const tree of trees) cells.push(await stopCell(row, tree))
  cells.push(await hostDeathCell(row), await timeoutCell(row))
  const { name, version } = runtimeOf(row)
  console.log(`| ${row.title} (${name.replace(/\d+$/, '')} ${version}) | ${cells.join(' | ')} |`)
}
const day = new Date().toISOString().slice(0, 10)
console.log(
  `\n${day}, Linux ${release()}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${runs} runs each. ` +
    'ms: median time until the API said that it is done. left: processes of the tree that /proc still shows 1 s ' +
    'later (host SIGKILLed: 2 s later), the worst of the runs.',
)

/**
 * @param {Row} row
 * @param {Tree} tree
 */
async function stopCell(row, tree) {
  const times = []
  let most = 0
  for (let run = 0; run < runs; run += 1) {
    const { stopped, left } = await withHost(row, tree, async (host) => {
      await host.ready()
      host.say('stop')
      const answer = await Promise.race([host.next(), delay(STOP_DEADLINE)])
      await delay(1000)
      return { stopped: answer?.stopped, left: await host.countLeft() }
    })
    times.push(stopped ?? Infinity)
    most = Math.max(most, left)
  }
  const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Infinity
  const time = median === Infinity ? `> ${STOP_DEADLINE} ms` : `${median.toFixed(median < 10 ? 1 : 0)} ms`
  return `${time}, ${leftText(most)}`
}

/** @param {Row} row */
async function hostDeathCell(row) {
  let most = 0
  for (let run = 0; run < runs; run += 1) {
    const left = await withHost(row, everything, async (host) => {
      await host.ready()
      host.kill()
      await delay(2000)
      return host.countLeft()
    })
    most = Math.max(most, left)
  }
  return most === 0 ? '0 left' : `**${most} of ${everything.members} left**`
}

/** @param {Row} row */
async function timeoutCell(row) {
  const times = []
  for (let run = 0; run < runs; run += 1) {
    const plain = /** @type {Tree} */ (trees[0])
    const time = await withHost(
      row,
      plain,
      async (host) => {
        const { pid = 0, began = 0 } = (await host.next()) ?? {}
        const died = await deathOf(pid, began + STOP_DEADLINE)
        return died === undefined ? Infinity : died - began
      },
      [String(TIMEOUT)],
    )
    times.push(time)
  }
  const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Infinity
  return median === Infinity ? 'never' : `${median} ms`
}

/** @param {number} left */
function leftText(left) {
  return left === 0 ? '0 left' : `**${left} left**`
}

/**
 * @typedef {object} Host
 * @property {() => Promise<void>} ready The whole tree stands.
 * @property {(line: string) => void} say
 * @property {() => Promise<{ pid?: number, began?: number, stopped?: number } | undefined>} next The next fact.
 * @property {() => Promise<number>} countLeft
 * @property {() => void} kill SIGKILL to the host alone.
 */

/**
 * One host, one tree; whatever is left afterwards is ended by number.
 *
 * @template Result
 * @param {Row} row
 * @param {Tree} tree
 * @param {(host: Host) => Promise<Result>} work
 * @param {string[]} [args]
 * @returns {Promise<Result>}
 */
async function withHost(row, { tree, members }, work, args = []) {
  const { command, args: before } = runtimeOf(row)
  const folder = mkdtempSync(join(tmpdir(), 'procleash-compare-'))
  const readyFile = join(folder, 'ready')
  const mark = randomUUID()
  const script = fileURLToPath(new URL('host.mjs', import.meta.url))
  const child = spawn(command, [...before, script, row.peer, tree, readyFile, mark, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const facts = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const entry = `COMPARE_MARK=${mark}`
  try {
    return await work({
      next: async () => {
        const { value } = await facts.next()
        return value === undefined ? undefined : JSON.parse(value)
      },
      ready: async () => {
        if ((await facts.next()).done) throw new Error(`${row.title}: the host ended`)
        const deadline = Date.now() + STOP_DEADLINE
        while (!existsSync(readyFile) || readFileSync(readyFile, 'utf8').split('\n').length <= members) {
          if (Date.now() > deadline) throw new Error(`${row.title}: the tree ${tree} does not stand`)
          await delay(10)
        }
      },
      say: (line) => child.stdin.write(`${line}\n`),
      countLeft: () => countLeft(entry),
      kill: () => child.kill('SIGKILL'),
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
    child.kill('SIGKILL')
    await endAll(entry)
  }
}

/** @param {Row} row */
function runtimeOf(row) {
  const found = installed.find(({ name }) => name === row.runtime)
  if (found === undefined || found.missing !== undefined) {
    throw new Error(`${row.runtime} is not there: ${found?.missing}`)
  }
  return found
}
