// The page: filters, charts, and the figures of the chosen stops. All data is in the page itself.

import * as charts from '../charts.mjs'
import { init } from '../engine.mjs'
import { byLook, lookOf } from '../look.mjs'
import { fillTable } from './figures.mjs'

/** @typedef {import('../summary.mjs').Summary} Summary */

/** @type {{ about: string, summaries: Summary[] }} */
const { about, summaries } = JSON.parse(element('data').textContent ?? '')
const dark = matchMedia('(prefers-color-scheme: dark)')
/** Contenders that are not shown. @type {Set<string>} */
const hidden = new Set()
/** @type {Map<string, ReturnType<typeof init>>} */
const drawn = new Map()

/** @type {Record<string, (view: ReturnType<typeof chosen>) => { series: readonly unknown[] }>} */
const drawings = {
  latency: (view) => charts.latencyBySize(summaries, view),
  shares: (view) => charts.sharesInTime(summaries, view),
  'teardown-left': (view) => charts.survivors(summaries, { ...view, part: 'teardown' }),
  'host-death-left': (view) => charts.survivors(summaries, { ...view, part: 'host-death' }),
  spawn: (view) => charts.spawnByMemory(summaries, view),
  streams: (view) => charts.throughput(summaries, view),
  inspect: (view) => charts.inspection(summaries, view),
}

element('about').textContent = about
fill('runtime', valuesOf(summaries.map(({ runtime }) => runtime)), 'node24')
fillCases()
fillContenders()
element('filters').addEventListener('change', ({ target }) => {
  if (target === element('runtime')) fillCases()
  draw()
})
dark.addEventListener('change', draw)
addEventListener('resize', () => {
  for (const chart of drawn.values()) chart.resize()
})
draw()

/** Shapes and sizes that this runtime has; what was chosen stays chosen where it can. */
function fillCases() {
  const here = summaries.filter((each) => each.runtime === value('runtime') && each.case.size !== undefined)
  fill('shape', valuesOf(here.map((each) => String(each.case.shape))), value('shape') || 'setsid')
  const sizes = valuesOf(here.map((each) => Number(each.case.size))).sort((a, b) => a - b)
  fill('size', sizes.map(String), value('size') || '100')
}

function fillContenders() {
  const names = valuesOf([...summaries].sort(byLook).map(({ contender }) => contender))
  for (const name of names) {
    const box = document.createElement('input')
    box.type = 'checkbox'
    box.checked = true
    box.name = name
    box.addEventListener('change', () => (box.checked ? hidden.delete(name) : hidden.add(name)))
    const label = document.createElement('label')
    label.append(box, ` ${lookOf(name).label}`)
    element('contenders').append(label)
  }
}

function chosen() {
  const names = valuesOf(summaries.map(({ contender }) => contender))
  return {
    mode: modeOf(value('mode')),
    runtime: value('runtime'),
    shape: value('shape'),
    size: Number(value('size')),
    contenders: names.filter((name) => !hidden.has(name)),
  }
}

function draw() {
  const view = chosen()
  document.documentElement.dataset.mode = view.mode
  for (const [id, drawing] of Object.entries(drawings)) {
    const option = drawing(view)
    const place = element(id)
    place.hidden = option.series.length === 0
    if (place.hidden) continue
    const chart = drawn.get(id) ?? init(place, null, { renderer: 'svg' })
    drawn.set(id, chart)
    chart.setOption(option, { notMerge: true })
    chart.resize()
  }
  fillTable(/** @type {HTMLTableElement} */ (element('figures')), summaries, view)
}

/** @param {string} wanted @returns {'light' | 'dark'} */
function modeOf(wanted) {
  if (wanted === 'light' || wanted === 'dark') return wanted
  return dark.matches ? 'dark' : 'light'
}

/**
 * @param {string} id
 * @param {readonly string[]} values
 * @param {string} preferred
 */
function fill(id, values, preferred) {
  const select = /** @type {HTMLSelectElement} */ (element(id))
  select.replaceChildren(...values.map((each) => new Option(each)))
  if (values.includes(preferred)) select.value = preferred
}

/** @param {string} id */
function value(id) {
  return /** @type {HTMLSelectElement} */ (element(id)).value
}

/**
 * @template Value
 * @param {readonly Value[]} values
 * @returns {Value[]}
 */
function valuesOf(values) {
  return [...new Set(values)]
}

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found
}
