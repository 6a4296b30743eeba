// docs/benchmarks.html: one file with its script, its style and its data; it asks no network.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** @typedef {import('./summary.mjs').Summary} Summary */

/**
 * @param {import('../lib/results.mjs').Results} results
 * @param {readonly Summary[]} summaries
 */
export async function pageOf(results, summaries) {
  const { began, environment } = results
  const { cpu, cores, memory, os, busy } = environment
  const noisy = busy ? '; other work was running' : ''
  const about = `${began.slice(0, 10)}, ${cpu}, ${cores} cores, ${memory} GiB, ${os}${noisy}`
  const style = readFileSync(fileOf('style.css'), 'utf8')
  const data = inert(JSON.stringify({ about, summaries }))
  const code = inert(await script())
  // By functions: the script is full of `$`.
  return readFileSync(fileOf('index.html'), 'utf8')
    .replace('</style>', (end) => `${style}${end}`)
    .replace('id="data">', (begin) => `${begin}${data}`)
    .replace('<script></script>', () => `<script>${code}</script>`)
}

async function script() {
  const { outputFiles } = await build({
    entryPoints: [fileOf('app.mjs')],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    legalComments: 'inline',
    logLevel: 'warning',
  })
  return outputFiles[0]?.text ?? ''
}

/** Nothing in it may end the element that it stands in. @param {string} text */
function inert(text) {
  return text.replaceAll('</', '<\\/')
}

/** @param {string} name */
function fileOf(name) {
  return fileURLToPath(new URL(`page/${name}`, import.meta.url))
}
