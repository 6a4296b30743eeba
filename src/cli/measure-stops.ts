// Times of real stops on this machine, for `procleash bench`: from the call until nothing is left of a tree.

import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { spawn } from '../spawn.js'
import type { Grade, Subprocess } from '../types.js'

/** Milliseconds of each stop. */
export const BUDGET = 500
/** Milliseconds that a tree may take to stand, and between two looks at it. */
const START = 20_000
const LOOK = 5

/** How the processes of a tree take SIGTERM. */
export type Manner = 'obeys' | 'deaf'

/** Who stops: procleash with a grade, or `child.kill('SIGKILL')` as the runtimes do it. */
export type Contender = Grade | 'child.kill'

export interface Stops {
  readonly manner: Manner
  /** Processes of the tree. */
  readonly size: number
  readonly by: Contender
  /** Milliseconds from each call until nothing was left. Empty for `child.kill`, which does not wait for that. */
  readonly times: readonly number[]
  /** Processes that were left, in all rounds. */
  readonly left: number
}

/** `sleep`s, every second one in a session of its own. What is ignored stays ignored across exec(2). */
const SCRIPT = `
[ "$1" = deaf ] && trap '' TERM
i=1
while [ $i -lt $2 ]; do
  if [ $((i % 2)) = 0 ]; then setsid sleep 60 & else sleep 60 & fi
  i=$((i + 1))
done
exec sleep 60`

/** One stop: its milliseconds, and how many it left. */
export async function stopOnce(
  manner: Manner,
  size: number,
  by: Contender,
): Promise<{ time?: number; left: number }> {
  const grade = by === 'child.kill' || by === 'group' ? {} : { require: by }
  const command = await spawn('sh', ['-c', SCRIPT, 'sh', manner, String(size)], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    leftovers: 'keep',
    budget: BUDGET,
    ...grade,
  })
  await untilUp(command, size)
  if (by === 'child.kill') return { left: await leftByKill(command) }
  const before = performance.now()
  const { survivors } = await command.stop()
  return { time: performance.now() - before, left: survivors.length }
}

/** Until all are `sleep`: what has not got to its exec is another tree than the one to be stopped. */
async function untilUp(command: Subprocess, size: number): Promise<void> {
  const giveUp = performance.now() + START
  for (;;) {
    const processes = await command.processes()
    if (processes.filter(({ argv }) => argv[0] === 'sleep').length === size) return
    if (performance.now() > giveUp) break
    await pause(LOOK)
  }
  await command.stop()
  throw new Error(`the tree to be stopped did not stand within ${START} ms: sh, sleep and setsid are needed`)
}

/** What lives when the command has ended by the signal; procleash cleans up behind it. */
async function leftByKill(command: Subprocess): Promise<number> {
  process.kill(command.pid, 'SIGKILL')
  await command.exited
  const left = await command.processes()
  await command.stop({ budget: 0 })
  return left.length
}
