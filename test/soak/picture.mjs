// The picture of a soak run: six panels over the same time, what was measured at work as lines, at rests dotted.

import { median } from '../../bench/lib/statistics.mjs'
import { axis, frame } from '../../bench/report/axes.mjs'
import { inks, lookOf } from '../../bench/report/look.mjs'
import { countOf } from './report.mjs'

/** @typedef {import('../../bench/report/look.mjs').Mode} Mode */
/** @typedef {import('./run.mjs').Run} Run */
/** @typedef {[minutes: number, value: number][]} Points */
/** @typedef {{ name: string, points: Points, style: 'solid' | 'dotted' }} Line */

/** Pixels. */
export const HEIGHT = 660
const LEFT = 56
const TOP = 112
const PANEL = { width: 366, height: 112 }
const STEP = { x: 440, y: 188 }

/** Of a line; more than a panel has pixels for is lost anyway. */
const MOST_POINTS = 120
const COLOURS = ['procleash', 'process.kill', 'procleash-stoptree'].map(lookOf)
const MEBIBYTE = 1024 * 1024

/**
 * @param {Run} run
 * @param {Mode} mode
 * @returns {import('echarts/core').EChartsCoreOption}
 */
export function pictureOf(run, mode) {
  const panels = panelsOf(run)
  const places = panels.map((_, index) => ({
    left: LEFT + (index % 2) * STEP.x,
    top: TOP + Math.floor(index / 2) * STEP.y,
  }))
  const minutes = run.duration / 60_000
  const subtitle = `${countOf(run)} acts in ${Math.round(minutes * 10) / 10} minutes; dotted: at rests, when all sessions are released and garbage is collected`
  const { title, ...rest } = frame(mode, `Soak: ${run.runtime} ${run.version}`, subtitle)
  const name = (/** @type {string} */ text, /** @type {{ left: number, top: number }} */ { left, top }) => ({
    text,
    left: left - 6,
    top: top - 46,
    padding: 0,
    textStyle: { color: inks[mode].text, fontSize: 13, fontWeight: 600 },
  })
  return {
    ...rest,
    title: [title, ...panels.map((panel, index) => name(panel.title, places[index] ?? { left: 0, top: 0 }))],
    grid: places.map((place) => ({ ...place, ...PANEL })),
    legend: panels.map(({ lines }, index) => ({
      data: lines.map((line) => line.name),
      left: (places[index]?.left ?? 0) - 10,
      top: (places[index]?.top ?? 0) - 28,
      padding: 0,
      itemWidth: 12,
      itemHeight: 6,
      itemGap: 18,
      icon: 'roundRect',
      textStyle: { color: inks[mode].text, fontSize: 11 },
    })),
    xAxis: panels.map((_, index) =>
      axis(mode, index >= panels.length - 2 ? 'minutes' : '', {
        type: 'value',
        gridIndex: index,
        max: minutes,
        nameGap: 24,
        axisLabel: { color: inks[mode].muted, fontSize: 11, showMaxLabel: false },
      }),
    ),
    yAxis: panels.map((_, index) =>
      axis(mode, '', {
        type: 'value',
        gridIndex: index,
        min: 0,
        splitNumber: 3,
        axisLabel: { color: inks[mode].muted, fontSize: 11 },
      }),
    ),
    series: panels.flatMap(({ lines }, index) =>
      lines.map((line, place) => ({
        type: 'line',
        name: line.name,
        xAxisIndex: index,
        yAxisIndex: index,
        data: line.points,
        color: COLOURS[place]?.[mode],
        showSymbol: false,
        lineStyle: { type: line.style, width: line.style === 'dotted' ? 2 : 1.2 },
      })),
    ),
  }
}

/**
 * @param {Run} run
 * @returns {{ title: string, lines: Line[] }[]}
 */
function panelsOf({ work, rests }) {
  /** @type {(name: string, value: (sample: import('./sample.mjs').Work) => number, of?: (values: number[]) => number) => Line} */
  const atWork = (name, value, of = median) => ({
    name,
    style: 'solid',
    points: thinned(
      work.map((sample) => [sample.at / 60_000, value(sample)]),
      of,
    ),
  })
  /** @type {(name: string, value: (sample: import('./sample.mjs').Rest) => number) => Line} */
  const atRest = (name, value) => ({
    name,
    style: 'dotted',
    points: rests.map((rest) => [rounded(rest.at / 60_000), rounded(value(rest))]),
  })
  const highest = (/** @type {number[]} */ values) => Math.max(...values)
  return [
    {
      title: 'Memory, MiB',
      lines: [
        atWork('host', ({ rss }) => rss / 1024),
        atRest('own pages at rest', ({ hostMemory }) => hostMemory / 1024),
        atWork('supervisor and keepers', ({ helperRss }) => helperRss / 1024),
      ],
    },
    {
      title: 'JavaScript heap, MiB',
      lines: [
        atWork('at work', ({ heap }) => heap / MEBIBYTE),
        atRest('collected', ({ heap }) => heap / MEBIBYTE),
      ],
    },
    {
      title: 'Descriptors',
      lines: [
        atWork('host', ({ descriptors }) => descriptors, highest),
        atRest('at rest', ({ descriptors }) => descriptors),
        atRest('supervisor at rest', ({ supervisorDescriptors }) => supervisorDescriptors),
      ],
    },
    {
      title: 'Processes below the host, its threads',
      lines: [
        atWork('processes', ({ processes }) => processes, highest),
        atWork('keepers', ({ keepers }) => keepers, highest),
        atRest('threads of the host, at rest', ({ threads }) => threads),
      ],
    },
    {
      title: 'Memory of the helpers at rest, KiB',
      lines: [
        atRest('supervisor', ({ supervisorMemory }) => supervisorMemory),
        atRest('keeper of a server that stays', ({ keeperMemory }) => keeperMemory),
      ],
    },
    {
      title: 'Delay of the event loop, ms',
      lines: [
        atWork('median', ({ delay }) => delay.median),
        atWork('nine of ten are below', ({ delay }) => delay.high),
      ],
    },
  ]
}

/**
 * @param {Points} points
 * @param {(values: number[]) => number} of One of several that share a place.
 * @returns {Points}
 */
function thinned(points, of) {
  const size = Math.ceil(points.length / MOST_POINTS)
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) => {
    const part = points.slice(index * size, (index + 1) * size)
    return [rounded(part[0]?.[0] ?? 0), rounded(of(part.map(([, value]) => value)))]
  })
}

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 100) / 100
}
