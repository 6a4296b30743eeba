// Before each test of a run with grade `group`: what is listed in expected.ts has to fail. Whatever else fails fails
// the run, and so does a listed one that passes: the list is then wrong.

import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, type RunnerTask } from 'vitest'
import { runtimes } from '../../scripts/runtimes.mjs'
import { byChance, expected, reasonOf } from './expected.js'

const tests = fileURLToPath(new URL('..', import.meta.url))
const names = new Set<string>(runtimes().map(({ name }) => name))

beforeEach(({ task, skip }) => {
  const { file, title } = placeOf(task)
  const chance = reasonOf(byChance, file, title)
  if (chance !== undefined) skip(chance)
  // The runner looks at it after the test.
  if (reasonOf(expected, file, title) !== undefined) Object.assign(task, { fails: true })
})

/** File below test/, and the names of blocks and test without the runtime's. */
function placeOf(task: RunnerTask): { readonly file: string; readonly title: string } {
  const titles: string[] = []
  for (let each: RunnerTask | undefined = task; each !== undefined; each = each.suite) {
    if (!names.has(each.name)) titles.unshift(each.name)
  }
  return { file: relative(tests, task.file.filepath), title: titles.join(' > ') }
}
