// What the sessions of a soak host do, one thing after the other: each act starts something, sees it end as it has to,
// and leaves nothing but what its owner's release ends.

import { Buffer } from 'node:buffer'
import { spawn as spawnChild } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { adopt, IoLease, inspectTree, stopTree, tail, transfer, watchTree } from '../../../dist/src/index.js'

/** Milliseconds for a stop: a busy machine takes its time. */
const BUDGET = 5000
/** Longer than any act. */
const LASTING = 'trap "" HUP; sleep 300 & (setsid sleep 300 &); wait'
/** It stands before it is stopped, and nothing of it loses its parent: of what others started, that much is promised. */
const FAMILY = 'sleep 300 & setsid sleep 300 & echo ready; wait'
const KILOBYTE = 1024

/**
 * What acts share. `turn` is the owner of this turn, `session` the one above; `expect` notes what is not as it has to be.
 *
 * @typedef {{ session: any, turn: any, random: import('../../chaos/random.mjs').Random, folder: string,
 *   name: () => string, expect: (as: boolean, what: string, seen?: unknown) => void }} Stage `name` is never the same.
 */

/** @type {Record<string, (stage: Stage) => Promise<void>>} */
export const acts = {
  async bash({ turn, random, expect }) {
    const code = random.int(0, 3)
    const script = `for i in 1 2 3 4 5; do echo "line $i"; done; ls / | sort | head -5 >&2; exit ${code}`
    const result = await turn.run('bash', ['-c', script], { kind: 'bash' })
    expect(
      result.code === code && result.stdout.startsWith('line 1\n') && result.stderr !== '',
      'bash',
      result,
    )
  },

  async input({ turn, random, expect }) {
    const text = 'x'.repeat(random.int(1, 200) * KILOBYTE)
    const { stdout } = await turn.run('cat', [], { input: text })
    expect(stdout === text, 'cat gives back its input', stdout.length)
  },

  async streams({ turn, expect }) {
    const command = await turn.spawn('sh', ['-c', 'read line; echo "$line"; echo err >&2; cat'], {
      stdin: 'pipe',
    })
    const writer = command.stdin.getWriter()
    await writer.write(Buffer.from('hello\nmore\n'))
    await writer.close()
    const [out, err] = await Promise.all([textOf(command.stdout), textOf(command.stderr)])
    expect(out === 'hello\nmore\n' && err === 'err\n', 'streams', { out, err })
    const { outcome } = await command.settled
    expect(outcome === 'empty', 'streams settle', outcome)
  },

  async burst({ turn, random, expect }) {
    const codes = Array.from({ length: random.int(3, 8) }, (_, index) => index)
    const results = await Promise.all(codes.map((code) => turn.run('sh', ['-c', `exit ${code}`])))
    expect(
      results.every(({ code }, index) => code === index),
      'burst',
      results.map(({ code }) => code),
    )
  },

  /** The turn that starts it ends; the server goes on in the session, and ends with that. */
  async server({ session, turn, random, name, folder, expect }) {
    const log = join(folder, `${name()}.log`)
    const script = 'echo listening; (setsid sleep 300 &); while :; do echo tick; sleep 0.2; done'
    const server = await turn.spawn('sh', ['-c', script], {
      log,
      kind: 'bash',
      label: 'server',
      budget: BUDGET,
    })
    transfer(server, session)
    await until(async () => (await tail(server, { bytes: 200 })).text.includes('tick'), expect, 'server log')
    const list = await session.list()
    expect(
      list.some((/** @type {any} */ { id, log: path }) => id === server.id && path === log),
      'list names the server',
      list.length,
    )
    if (random.chance(0.5)) await session.get(server.id).processes()
    rmSync(log)
  },

  async interrupt({ turn, random, expect }) {
    const command = await turn.spawn('sh', ['-c', `echo; ${LASTING}`], { kind: 'bash', budget: BUDGET })
    await pause(random.int(0, 60))
    const { outcome, reason } = await command.stop({ reason: 'interrupt' })
    expect(outcome === 'empty' && reason === 'stop', 'interrupt', { outcome, reason })
  },

  /** It ignores the signal: SIGKILL ends it, at the end of a short budget. */
  async stubborn({ turn, expect }) {
    const command = await turn.spawn('sh', ['-c', 'trap "" TERM; echo ready; sleep 300 & wait'])
    const reader = command.stdout.getReader()
    await reader.read()
    reader.releaseLock()
    const { escalated } = await command.stop({ budget: 100 })
    expect(escalated, 'SIGKILL was needed', escalated)
  },

  async abort({ turn, random, expect }) {
    const controller = new AbortController()
    const running = turn.run('sh', ['-c', LASTING], { signal: controller.signal, budget: BUDGET }).then(
      (/** @type {any} */ { reason }) => reason,
      (/** @type {Error} */ { name }) => name,
    )
    await pause(random.int(0, 30))
    controller.abort('the user has pressed Escape')
    // An error where it was still being started.
    const end = await running
    expect(end === 'abort' || end === 'AbortError', 'abort', end)
  },

  async timeout({ turn, random, expect }) {
    const result = await turn.run('sh', ['-c', LASTING], { timeout: random.int(20, 120), budget: BUDGET })
    expect(result.reason === 'timeout' && result.settlement.outcome === 'empty', 'timeout', result.settlement)
  },

  async flood({ turn, random, folder, name, expect }) {
    const size = random.int(1, 4) * KILOBYTE * KILOBYTE
    const spillPath = join(folder, `${name()}.spill`)
    try {
      const { truncated, stdout } = await turn.run('head', ['-c', String(size), '/dev/zero'], {
        maxOutput: 64 * KILOBYTE,
        encoding: 'buffer',
        spillPath,
      })
      const spilled = statSync(spillPath).size
      expect(truncated && stdout.length === 64 * KILOBYTE, 'flood is cut', stdout.length)
      expect(spilled === size, 'flood is spilled', spilled)
    } finally {
      rmSync(spillPath, { force: true })
    }
  },

  async unread({ turn, random, expect }) {
    const command = await turn.spawn('yes', [], { budget: BUDGET })
    await pause(random.int(10, 60))
    const { outcome } = await command.stop()
    expect(outcome === 'empty', 'a flood that nobody reads', outcome)
    await command.stdout.cancel()
  },

  async bad({ turn, random, expect }) {
    const [file, options, code] = random.pick([
      ['/nowhere/at-all', {}, 'ENOENT'],
      ['/etc', {}, 'EACCES'],
      ['true', { cwd: '/nowhere' }, 'ENOENT'],
      ['true', { stdin: { path: '/nowhere/at-all' } }, 'ENOENT'],
      ['sleep', { timeout: -1 }, 'ERR_OUT_OF_RANGE'],
    ])
    const seen = await turn.spawn(file, [], options).then(
      () => 'started',
      (/** @type {any} */ error) => error.code,
    )
    expect(seen === code, `bad command: ${code}`, seen)
  },

  async lease({ turn, expect }) {
    const lease = new IoLease({ budget: BUDGET })
    const command = await lease.covers(turn.spawn('sh', ['-c', 'while :; do echo tick; sleep 0.01; done']))
    let late = 0
    for await (const _ of command.stdout ?? []) {
      if (lease.state !== 'active') late += 1
      lease.revoke('seen enough')
    }
    const [settlement] = await lease.ended
    expect(late === 0, 'bytes after the revoke', late)
    expect(settlement?.outcome === 'empty', 'revoked', settlement)
  },

  async foreign({ random, expect }) {
    const { child, ended } = await startFamily()
    const pid = child.pid ?? 0
    const settlement = random.chance(0.5) ? await stopTree(pid, { budget: BUDGET }) : await watched(pid)
    expect(settlement?.outcome === 'empty', 'foreign tree', settlement)
    await ended
  },

  async adopted({ turn, expect }) {
    const { child, ended } = await startFamily()
    const command = await adopt(child, { owner: turn, kind: 'subagent', budget: BUDGET })
    expect(turn.unfinished(), 'an adopted subagent is unfinished work')
    const { outcome } = await command.stop()
    expect(outcome === 'empty', 'adopted', outcome)
    await ended
  },

  /** A job that its command leaves behind: stopped with it, or kept and stopped later. */
  async background({ turn, random, expect }) {
    const leftovers = random.pick(['stop', 'keep'])
    const script =
      'sleep 300 </dev/null >/dev/null 2>&1 & (setsid sleep 300 </dev/null >/dev/null 2>&1 &); exit 4'
    const result = await turn.run('bash', ['-c', script], { leftovers, budget: BUDGET })
    expect(result.code === 4, 'background', result.code)
    if (leftovers === 'stop') expect(result.settlement?.outcome === 'empty', 'left behind', result.settlement)
    else if (result.kept === null) expect(false, 'nothing was kept')
    else if (random.chance(0.5)) await result.kept.stop()
  },

  async look({ session, expect }) {
    const [list, tree] = await Promise.all([session.list(), inspectTree(process.pid)])
    expect(tree.length > 0, 'the host has children', { list: list.length })
  },
}

async function startFamily() {
  const child = spawnChild('sh', ['-c', FAMILY], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'close')
  await once(child.stdout, 'data')
  return { child, ended }
}

/** @param {number} pid */
async function watched(pid) {
  const watch = await watchTree(pid, { budget: BUDGET })
  await watch.processes()
  return watch.stop()
}

/** @param {ReadableStream<Uint8Array>} stream */
async function textOf(stream) {
  /** @type {Uint8Array[]} */
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/**
 * @param {() => Promise<boolean>} condition
 * @param {Stage['expect']} expect
 * @param {string} what
 */
async function until(condition, expect, what) {
  const end = performance.now() + 10_000
  while (!(await condition())) {
    if (performance.now() > end) return expect(false, what)
    await pause(20)
  }
}
