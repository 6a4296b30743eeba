// The inputs of test/fuzz/corpus once more, with the address and undefined-behaviour sanitizers where the compiler has
// them: what fuzzing has found once is not to come back.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { runProgram } from '../support/program.js'
import { buildTargets, corpusFolder, TARGETS } from './build.mjs'

guardEachTest()

it('every target has a corpus, and every corpus a target', () => {
  expect(readdirSync(corpusFolder).sort()).toEqual([...TARGETS].sort())
})

it('no input of the corpora makes a fault', { timeout: 240_000 }, async () => {
  const program = await buildTargets('replay')
  const args = TARGETS.flatMap((target) => ['--', target, ...inputsOf(target)])
  const { code, signal, stdout, stderr } = await runProgram([program, ...args.slice(1)], { deadline: 60_000 })
  expect({ code, signal, stderr: faultIn(stderr), last: stdout.trimEnd().split('\n').at(-1) }).toEqual({
    code: 0,
    signal: null,
    stderr: '',
    last: `${TARGETS.flatMap(inputsOf).length} inputs`,
  })
})

it('a fault ends the run: a target that reads past the end', { timeout: 240_000 }, async () => {
  const program = await buildTargets('replay')
  // In a sanitizer's run of the suite this is no finding.
  const env = { ASAN_OPTIONS: '', UBSAN_OPTIONS: '' }
  const { code, stderr } = await runProgram([program, 'past-the-end', join(corpusFolder, 'stat/plain')], {
    env,
  })
  expect(code).not.toBe(0)
  expect(stderr).toContain('heap-buffer-overflow')
})

function inputsOf(target: string): string[] {
  return readdirSync(join(corpusFolder, target)).map((name) => join(corpusFolder, target, name))
}

/** The helper's own words about malformed frames are no fault. */
function faultIn(stderr: string): string {
  return stderr.replaceAll(/^procleash keeper: .*\n/gm, '')
}
