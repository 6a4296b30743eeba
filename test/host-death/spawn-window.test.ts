// The host dies while a command is being started.

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { guardEachTest, leftProcesses } from '../support/guard.js'
import { readStat } from '../support/proc.js'
import { hostProgram, runProgram } from '../support/program.js'
import { forEachRuntime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { waitUntil } from '../support/wait.js'

/** Microseconds between the spawn and the SIGKILL, around the time that a start takes. */
const DELAYS = [0, 0, 0, 50, 100, 150, 200, 250, 300, 400, 500, 700, 1000, 1500, 3000]

forEachRuntime((runtime) => {
  guardEachTest()

  it('C41: of 15 commands whose host SIGKILLs itself in the same tick none is alive afterwards', async () => {
    const folder = makeFolder('spawn-window')
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    for (const [round, delay] of DELAYS.entries()) {
      const own = join(folder, String(round))
      mkdirSync(own)
      const argv = hostProgram(runtime, 'spawn-and-die.mjs', own, String(delay))
      expect((await runProgram(argv)).signal).toBe('SIGKILL')
    }

    const alive = () =>
      DELAYS.map((_, round) => join(folder, String(round), 'pid'))
        .filter((file) => existsSync(file))
        .map((file) => readStat(Number(readFileSync(file, 'utf8'))))
        .filter((stat) => stat?.comm === 'sleep' && stat.state !== 'Z')
    await waitUntil(
      () => alive().length === 0 && leftProcesses().length === 0,
      1200,
      'none of the commands is alive',
    )
  })
})
