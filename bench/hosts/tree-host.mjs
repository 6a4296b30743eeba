// Starts trees and stops them, one at a time.

import { capabilities, spawn } from '../../dist/src/index.js'
import { contenders } from './contenders.mjs'
import { serve } from './serve.mjs'

/** @type {import('./contenders.mjs').StartedTree | undefined} */
let tree

await serve({
  clock: () => ({ time: now() }),
  helper: () => ({ helper: capabilities().helper }),

  /** @param {{ contender: string, file: string, args: string[], cgroup: string }} details */
  async start({ contender, file, args, cgroup }) {
    tree = await contenders[contender]?.(file, args, cgroup)
    return { pid: tree?.pid }
  },

  /** Starts with procleash, and waits for the first output of a command that says when it is ready. */
  async startReady({ file, args }) {
    const command = await spawn(file, args, { stderr: 'inherit' })
    tree = { pid: command.pid, stop: () => command.stop() }
    const first = await command.stdout?.getReader().read()
    if (first?.done) throw new Error(`${file} ended early: ${JSON.stringify(await command.settled)}`)
    return { pid: command.pid }
  },

  async stop() {
    const time = now()
    const settlement = await tree?.stop()
    return { time, settlement }
  },
})

/** Milliseconds of a monotonic clock; not performance.now(), which counts from the start of the process in all runtimes. */
function now() {
  return Number(process.hrtime.bigint()) / 1e6
}
