// The list itself: each file is there, and no test is listed twice.

import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { byChance, expected, reasonOf } from './expected.js'

it('names files that are there, and each test once', () => {
  const entries = [...expected, ...byChance].flatMap(({ tests }) =>
    Object.entries(tests).flatMap(([file, titles]) => titles.map((title) => ({ file, title }))),
  )
  for (const { file } of entries) expect(existsSync(new URL(`../${file}`, import.meta.url)), file).toBe(true)
  const names = entries.map(({ file, title }) => `${file}: ${title}`)
  expect(names).toEqual([...new Set(names)])
})

it('takes controls out of what is said of a whole file', () => {
  const file = 'guarantees/g5-supervisor-death.test.ts'
  expect(reasonOf(expected, file, "'keeper' killed")).toMatch(/^G5/)
  expect(reasonOf(expected, file, 'control: a thing')).toBeUndefined()
  expect(reasonOf(expected, 'guarantees/none.test.ts', "'keeper' killed")).toBeUndefined()
})
