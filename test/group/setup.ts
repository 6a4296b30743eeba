// Before each test of a run with grade `group`: what is listed in expected.ts has to fail. Whatever else fails fails
// the run, and so does a listed one that passes: the list is then wrong.

import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, type RunnerTask } from 'vitest'
import { isByChance, isExpected } from './expected.js'

const tests = fileURLToPath(new URL('..', import.meta.url))

const RUNTIMES = ['node20', 'node22', 'node24', 'bun', 'deno']

beforeEach(({ task, skip }) => {
  const { file, title, runtime } = placeOf(task)
  if (isByChance(file, title, runtime)) skip('its outcome is chance with grade group')
  if (isExpected(file, title, runtime)) Object.assign(task, { fails: true })
})

/** The file, the names of blocks and test without the runtime's, and the runtime's. */
function placeOf(task: RunnerTask): {
  readonly file: string
  readonly title: string
  readonly runtime: string
} {
  const names: string[] = []
  for (let each: RunnerTask | undefined = task; each !== undefined; each = each.suite)
    names.unshift(each.name)
  const runtime = names.find((name) => RUNTIMES.includes(name)) ?? ''
  const title = names.filter((name) => name !== runtime).join(' > ')
  return { file: relative(tests, task.file.filepath), title, runtime }
}
