// The report: a page that works in a real browser without a network, and charts that a browser draws.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeResults } from '../../bench/lib/results.mjs'
import { around, benchFolder, pointOf, resultsOf } from '../support/bench.js'
import { packagedProgram } from '../support/packages.js'
import { runProgram } from '../support/program.js'
import { makeFolder } from '../support/suite.js'

const executable = packagedProgram('chromium')
const title = executable === undefined ? 'in a browser (skipped: there is no chromium)' : 'in a browser'

const stops = (contender: string, runtime: string, size: number, left: number) =>
  pointOf({
    runtime,
    contender,
    case: { shape: 'setsid', size },
    samples: {
      gone: around(size / 10).map((time) => (left > 0 ? null : time)),
      said: around(1),
      left: around(1).map(() => left),
    },
  })
const results = resultsOf([
  ...['node24', 'bun'].flatMap((runtime) =>
    [10, 100].flatMap((size) => [
      stops('procleash', runtime, size, 0),
      stops('cgroup.kill', runtime, size, 0),
      stops('child.kill', runtime, size, size - 1),
    ]),
  ),
  pointOf({
    case: { shape: 'deaf', size: 100 },
    samples: { gone: around(450), left: around(1).map(() => 0) },
  }),
  pointOf({ part: 'spawn', case: { memory: 0 }, samples: { call: around(0.03), main: around(0.5) } }),
  pointOf({ contender: 'zx', absent: 'not </script> here' }),
])

let folder = ''

beforeAll(async () => {
  folder = makeFolder('report')
  const file = join(folder, 'results.json')
  writeResults(file, results)
  const { code, stderr } = await runProgram([
    process.execPath,
    join(benchFolder, 'report.mjs'),
    file,
    '--output',
    folder,
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

it('has text, charts for light and dark, and each target', () => {
  const text = readFileSync(join(folder, 'benchmarks.md'), 'utf8')
  expect(text).toContain('stop of 100 processes, node24, against cgroup.kill')
  expect(text).toContain('not </script> here')
  const links = [...text.matchAll(/"(benchmarks\/[^"]+\.svg)"/g)].map(([, link]) => link!)
  expect(links.length).toBeGreaterThan(0)
  for (const link of links) expect(existsSync(join(folder, link))).toBe(true)
})

describe.skipIf(executable === undefined)(title, () => {
  let browser: Browser
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    // Its sandbox needs privileges that root in a container lacks.
    browser = await chromium.launch({ executablePath: executable!, args: ['--no-sandbox'] })
    page = await browser.newPage({ colorScheme: 'dark' })
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) problems.push(`asks for ${request.url()}`)
    })
    await page.goto(pathToFileURL(join(folder, 'benchmarks.html')).href)
  })

  afterAll(() => browser?.close())

  const background = () =>
    expect.poll(() => page.evaluate('getComputedStyle(document.body).backgroundColor'), { timeout: 10_000 })
  const legend = () => page.locator('#latency svg text').allTextContents()
  const rows = () => page.locator('#figures tr').allTextContents()

  it('draws the charts for which there are figures, and no others', async () => {
    for (const id of ['latency', 'shares', 'teardown-left', 'spawn']) {
      expect(await page.locator(`#${id} svg path`).count(), id).toBeGreaterThan(5)
    }
    expect(await page.locator('#inspect').isHidden()).toBe(true)
    expect(await page.locator('#host-death-left').isHidden()).toBe(true)
    expect(await legend()).toContain('500 ms: the interrupt budget')
  })

  it('filters by contender, shape, size and runtime', async () => {
    expect(await legend()).toContain('child.kill()')
    await page.getByLabel('child.kill()').uncheck()
    expect(await legend()).not.toContain('child.kill()')
    await page.getByLabel('child.kill()').check()

    expect(await rows()).toHaveLength(5)
    await page.getByLabel('Shape').selectOption('deaf')
    expect(await rows()).toHaveLength(2)
    await page.getByLabel('Shape').selectOption('setsid')
    await page.getByLabel('Processes').selectOption('10')
    expect((await rows())[1]).toContain('procleash401.04')

    await page.getByLabel('Runtime').selectOption('bun')
    expect(await page.getByLabel('Shape').locator('option').allTextContents()).toEqual(['setsid'])
    expect(await page.locator('#spawn').isHidden()).toBe(true)
    await page.getByLabel('Runtime').selectOption('node24')
  })

  it('follows the colours of the system, and those that are chosen', async () => {
    await background().toBe('rgb(13, 17, 23)')
    await page.emulateMedia({ colorScheme: 'light' })
    await background().toBe('rgb(255, 255, 255)')
    await page.getByLabel('Colours').selectOption('dark')
    await background().toBe('rgb(13, 17, 23)')
  })

  it('has no error in its console and asks no network', () => {
    expect(problems).toEqual([])
  })

  it('draws each chart of the text', async () => {
    const charts = readdirSync(join(folder, 'benchmarks'))
    expect(charts.length).toBeGreaterThan(0)
    for (const chart of charts) {
      await page.goto(pathToFileURL(join(folder, 'benchmarks', chart)).href)
      // What is not well-formed is shown as a page of its own.
      expect(await page.locator('parsererror').count(), chart).toBe(0)
      expect(await page.locator('svg text').count(), chart).toBeGreaterThan(5)
    }
  })
})
