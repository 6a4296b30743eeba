// A benchmark that runs: one small case for its results, and one that is broken off. How fast anything is plays no part.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readResults } from '../../bench/lib/results.mjs'
import { benchFolder } from '../support/bench.js'
import { guardEachTest } from '../support/guard.js'
import { argvOf, listProcesses } from '../support/proc.js'
import { runProgram } from '../support/program.js'
import { makeFolder } from '../support/suite.js'
import { waitUntil } from '../support/wait.js'

const DEADLINE = 50_000

guardEachTest()

function bench(file: string, title: string, ...more: string[]): string[] {
  const main = join(benchFolder, 'main.mjs')
  const options = ['--runtime', 'node24', '--case', title, '--output', file, '--limit', '1000']
  return [process.execPath, main, ...options, '--contenders', 'procleash,process.kill,child.kill', ...more]
}

it('measures who stops a tree, and who leaves some of it', async () => {
  const file = join(makeFolder('bench'), 'results.json')
  const { code, stderr } = await runProgram(
    bench(file, 'teardown node24 shape setsid size 10', '--rounds', '2'),
    { deadline: DEADLINE },
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('[1/1]') })
  const { points, complete } = readResults(file)
  const leftBy = (name: string) => points.find(({ contender }) => contender === name)?.samples.left
  expect(complete).toBe(true)
  expect(leftBy('procleash')).toEqual([0, 0])
  // Half of the children are in sessions of their own; the others may still be about to end on a busy machine.
  expect(leftBy('process.kill')?.every((left) => left !== null && left >= 5 && left < 10)).toBe(true)
  expect(leftBy('child.kill')).toEqual([9, 9])
  const times = points.find(({ contender }) => contender === 'procleash')?.samples.gone
  expect(times).toEqual([expect.any(Number), expect.any(Number)])
})

it('broken off by Ctrl-C leaves nothing and keeps what it has', async () => {
  const folder = makeFolder('bench')
  const file = join(folder, 'results.json')
  let pid = 0
  const run = runProgram(bench(file, 'teardown node24 shape deaf size 100', '--rounds', '100000'), {
    env: { TMPDIR: folder },
    deadline: DEADLINE,
    started: (started) => {
      pid = started
    },
  })
  const isOfUs = (number: number) => argvOf(number).some((word) => word.startsWith(folder))
  const trees = () => listProcesses().filter(({ pid: each, comm }) => comm === 'tree' && isOfUs(each))
  await waitUntil(() => trees().length >= 50, DEADLINE, 'a tree of the benchmark')
  // To the whole group, as a terminal does.
  process.kill(-pid, 'SIGINT')
  expect((await run).code).toBe(130)
  expect(trees()).toEqual([])
  expect(existsSync(file)).toBe(true)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ complete: false, mode: 'full' })
})
