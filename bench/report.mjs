// npm run bench:report: docs/benchmarks.md, its charts, and docs/benchmarks.html, from results.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mergeResults, readResults } from './lib/results.mjs'
import { markdownOf } from './report/markdown.mjs'
import { pageOf } from './report/page.mjs'
import { optionsOf } from './report/pictures.mjs'
import { summarize } from './report/summary.mjs'
import { svgOf } from './report/svg.mjs'

const USAGE = `usage: npm run bench:report -- [RESULTS.json...] [--output FOLDER]

  RESULTS.json     default: the last of bench/results/, a full one if there is any; of several, a point is taken from the last that has it
  --output FOLDER  default: docs/`

const here = fileURLToPath(new URL('.', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { output: { type: 'string' }, help: { type: 'boolean' } },
})
if (values.help) console.log(USAGE)
else await report(positionals.length > 0 ? positionals : [latest()], values.output ?? join(here, '../docs'))

/**
 * @param {readonly string[]} files
 * @param {string} output
 */
async function report(files, output) {
  const results = mergeResults(files.map(readResults))
  const summaries = summarize(results)
  const main = mainOf(summaries)
  const folder = join(output, 'benchmarks')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const charts = new Set()
  for (const mode of /** @type {const} */ (['light', 'dark'])) {
    for (const [name, option] of optionsOf(summaries, { mode, runtime: main })) {
      writeFileSync(join(folder, `${name}.${mode}.svg`), svgOf(option))
      charts.add(name)
    }
  }
  writeFileSync(join(output, 'benchmarks.md'), markdownOf(results, summaries, { main, charts }))
  writeFileSync(join(output, 'benchmarks.html'), await pageOf(results, summaries))
  console.log(`${output}: benchmarks.md, benchmarks.html, ${charts.size} charts`)
}

/** The runtime with the most figures. @param {readonly import('./report/summary.mjs').Summary[]} summaries */
function mainOf(summaries) {
  const counts = new Map()
  for (const { runtime } of summaries) counts.set(runtime, (counts.get(runtime) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

/** The one that began last; a full one where there is one. */
function latest() {
  const folder = join(here, 'results')
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  const all = files.map((name) => ({ file: join(folder, name), ...readResults(join(folder, name)) }))
  const full = all.filter(({ mode }) => mode === 'full')
  const last = (full.length > 0 ? full : all).sort((a, b) => a.began.localeCompare(b.began)).at(-1)
  if (last === undefined) throw new Error('bench/results/ is empty: run npm run bench')
  return last.file
}
