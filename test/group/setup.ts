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
  const { file, title, runtime } = placeOf(task)
  const chance = reasonOf(byChance, file, title, runtime)
  if (chance !== undefined) {
    Object.assign(task.meta, { byChance: true })
    skip(chance)
  }
  if (reasonOf(expected, file, title, runtime) === undefined) return
  // The runner looks at the first after the test; the table of grades at what is in meta.
  Object.assign(task, { fails: true })
  Object.assign(task.meta, { doesNotHold: true })
})

interface Place {
  /** Below test/. */
  readonly file: string
  /** Names of blocks and test, without the runtime's. */
  readonly title: string
  readonly runtime: string | undefined
}

function placeOf(task: RunnerTask): Place {
  const titles: string[] = []
  for (let each: RunnerTask | undefined = task; each !== undefined; each = each.suite)
    titles.unshift(each.name)
  const runtime = titles.find((name) => names.has(name))
  const title = titles.filter((name) => name !== runtime).join(' > ')
  return { file: relative(tests, task.file.filepath), title, runtime }
}
