// C52, C55: what is orphaned comes up to procleash-init and is reaped there, and the main program's own children stay
// the main program's.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { asPid1, describeMode, forEachMode, initFile, runInit, startInit } from '../support/init.js'
import { childrenOf, descendantsOf, zombieChildrenOf } from '../support/proc.js'
import { runProgram } from '../support/program.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

const ORPHANS = 20
const orphans = `i=0; while [ $i -lt ${ORPHANS} ]; do sh -c 'sleep 0.2 & exit'; i=$((i + 1)); done`
const zombiesBelow = (pid: number) => descendantsOf(pid).filter((stat) => stat.state === 'Z').length

/** The script of a main program that makes orphans, says so, and stays. */
async function startOrphans(init?: readonly string[]) {
  const tree = plantTree('ready.sh')
  const script = `${orphans}; . ${tree.args[0]}`
  const running = await startInit(asPid1, ['sh', '-c', script], { env: tree.env, ...(init && { init }) })
  await waitUntil(() => tree.has('ready'), 10_000, 'the orphans are made')
  return running
}

const gone = (pid: number) => descendantsOf(pid).length <= 1

guardEachTest()

describeMode(asPid1, 'C52', () => {
  it('20 orphans that end leave no zombie; below a program that does not reap they do', async () => {
    // The shell becomes a sleep, which reaps nobody. Those that ended before that, on a slow machine, were the shell's.
    const bare = await startOrphans([])
    const settled = () => descendantsOf(bare.id.pid).every((stat) => stat.state === 'Z')
    await waitUntil(settled, 3000, 'the orphans of the control have ended')
    expect(zombiesBelow(bare.id.pid)).toBeGreaterThan(0)
    bare.signal('SIGKILL')
    await bare.ended

    const init = await startOrphans()
    await waitUntil(() => gone(init.id.pid), 1000, 'no orphan is left, dead or alive')
    expect(childrenOf(init.id.pid).map((stat) => stat.state)).not.toContain('Z')
    init.signal('SIGTERM')
    expect((await init.ended).code).toBe(143)
  })
})

forEachMode((mode) => {
  it('-w: a message for each that was reaped', async () => {
    const { stderr, code } = await runInit(mode, ['sh', '-c', `${orphans}; sleep 0.5`], { options: ['-w'] })
    expect(code).toBe(0)
    expect(stderr.match(/^procleash-init: reaped: \d+ ended with status 0$/gm)).toHaveLength(ORPHANS)
  })

  it('is silent otherwise', async () => {
    const { stderr } = await runInit(mode, ['sh', '-c', `${orphans}; sleep 0.3`])
    expect(stderr).toBe('')
  })
})

it('without -s and not as PID 1 it says that it adopts nobody', async () => {
  const { stderr, code } = await runProgram([initFile, '--', 'sh', '-c', 'exit 3'])
  expect(code).toBe(3)
  expect(stderr).toMatch(/^procleash-init: not PID 1: /)
})

// C55, with each runtime as the main program.
const statuses = `
import { spawn } from 'node:child_process'
import process from 'node:process'
const own = Array.from({ length: 40 }, () => new Promise((resolve) => {
  spawn('sh', ['-c', 'sleep 0.05 & exit 7']).on('exit', resolve)
}))
const codes = await Promise.all(own)
process.exitCode = codes.every((code) => code === 7) ? 40 : 1
`

forEachRuntime((runtime) => {
  describeMode(asPid1, 'C55', () => {
    it('40 children report their own code to the main program while 40 orphans are reaped', async () => {
      const words =
        runtime.name === 'deno'
          ? [runtime.executable, 'eval', '--no-lock', statuses]
          : [runtime.executable, ...(runtime.name === 'bun' ? [] : ['--input-type=module']), '-e', statuses]
      expect((await runInit(asPid1, words)).code).toBe(40)
      expect(zombieChildrenOf(process.pid)).toEqual([])
    })
  })
})
