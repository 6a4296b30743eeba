// The charts, as ECharts options: plain data from plain data, the same for a file and for the page.

import { axis, frame, limitLine, sideAxis } from './axes.mjs'
import { BUDGET } from './budget.mjs'
import { byLook, lookOf } from './look.mjs'

/** @typedef {import('./summary.mjs').Summary} Summary */
/** @typedef {import('./look.mjs').Mode} Mode */

/** Who, of whom, where: `undefined` takes all. */
/** @typedef {{ readonly mode: Mode, readonly runtime: string, readonly contenders?: readonly string[] | undefined }} View */

/**
 * Latency by size, both axes logarithmic. A point is missing where a contender left something in half of its stops.
 *
 * @param {readonly Summary[]} summaries
 * @param {View & { readonly shape: string }} view
 */
export function latencyBySize(summaries, view) {
  const chosen = select(summaries, view, 'teardown').filter((each) => each.case.shape === view.shape)
  // Past the budget's line, however fast all are; a round number.
  const slowest = Math.max(BUDGET, ...chosen.map((each) => each.metrics.gone?.median ?? 0))
  const most = 10 ** Math.ceil(Math.log10(slowest))
  return {
    ...frame(
      view.mode,
      `Stop until the whole tree is gone: ${view.shape}`,
      `${view.runtime}, medians in ms; no point where something was left`,
    ),
    xAxis: axis(view.mode, 'processes in the tree', { type: 'log', min: 1 }),
    yAxis: sideAxis(view.mode, 'ms', { type: 'log', max: most }),
    series: seriesOf(chosen, view.mode, (points) => ({
      type: 'line',
      data: points
        .map((each) => [Number(each.case.size), each.metrics.gone?.median ?? null])
        .filter(([, time]) => time !== null),
    })).map(withLimit(limitLine(view.mode, 'yAxis', BUDGET, `${BUDGET} ms: the interrupt budget`))),
  }
}

/**
 * Cumulative share of the stops that were over, by time.
 *
 * @param {readonly Summary[]} summaries
 * @param {View & { readonly shape: string, readonly size: number }} view
 */
export function sharesInTime(summaries, view) {
  const chosen = select(summaries, view, 'teardown').filter(
    (each) => each.case.shape === view.shape && each.case.size === view.size,
  )
  const latest = Math.max(1000, ...chosen.flatMap((each) => each.shares?.map(([time]) => time) ?? []))
  return {
    ...frame(
      view.mode,
      `Share of stops that left nothing, by time: ${view.size} processes, ${view.shape}`,
      `${view.runtime}; a line that stays at 0 always left something`,
    ),
    xAxis: axis(view.mode, 'ms since the stop', { type: 'log', min: 0.1, max: latest }),
    yAxis: sideAxis(view.mode, '% of the stops', { min: 0, max: 100 }),
    series: seriesOf(chosen, view.mode, (points) => ({
      type: 'line',
      step: 'end',
      showSymbol: false,
      data: curveOf(points[0]?.shares ?? [], latest),
    })).map(withLimit(limitLine(view.mode, 'xAxis', BUDGET, `${BUDGET} ms`))),
  }
}

/**
 * What is left, in percent of the tree, by the given property of the case.
 *
 * @param {readonly Summary[]} summaries
 * @param {View & { readonly part: 'teardown' | 'host-death', readonly size: number }} view
 */
export function survivors(summaries, view) {
  const chosen = select(summaries, view, view.part).filter((each) => each.case.size === view.size)
  const shapes = [...new Set(chosen.map((each) => String(each.case.shape)))]
  const what = view.part === 'teardown' ? 'Left behind by a stop' : 'Left 2 s after SIGKILL to the host'
  return {
    ...frame(
      view.mode,
      `${what}: ${view.size} processes`,
      `${view.runtime}, the worst of all runs; 0 draws no bar`,
    ),
    xAxis: axis(view.mode, '', { type: 'category', data: shapes }),
    yAxis: sideAxis(view.mode, '% of the tree', { min: 0, max: 100 }),
    series: seriesOf(chosen, view.mode, (points) => ({
      type: 'bar',
      barMinHeight: 0,
      data: shapes.map((shape) => percentLeft(points.find((each) => each.case.shape === shape))),
    })),
  }
}

/**
 * @param {readonly Summary[]} summaries
 * @param {View} view
 */
export function spawnByMemory(summaries, view) {
  const chosen = select(summaries, view, 'spawn')
  const memories = [...new Set(chosen.map((each) => Number(each.case.memory)))].sort((a, b) => a - b)
  return {
    ...frame(
      view.mode,
      'Time that a spawn blocks the event loop, by memory of the host',
      `${view.runtime}, medians in us; memory touched beside the runtime's own`,
    ),
    xAxis: axis(view.mode, 'memory', { type: 'category', data: memories.map(memoryText) }),
    yAxis: sideAxis(view.mode, 'us', { type: 'log' }),
    series: seriesOf(chosen, view.mode, (points) => ({
      type: 'line',
      data: memories.map((memory) => {
        const time = points.find((each) => each.case.memory === memory)?.metrics.call?.median ?? null
        return time === null ? null : Math.round(time * 1000)
      }),
    })),
  }
}

/**
 * @param {readonly Summary[]} summaries
 * @param {View} view
 */
export function throughput(summaries, view) {
  const chosen = select(summaries, view, 'streams')
  const widths = [...new Set(chosen.map((each) => Number(each.case.width)))]
  return {
    ...frame(view.mode, 'Output read by the host', `${view.runtime}, medians in GB/s, all commands together`),
    xAxis: axis(view.mode, '', { type: 'category', data: widths.map(widthText) }),
    yAxis: sideAxis(view.mode, 'GB/s', { min: 0 }),
    series: seriesOf(chosen, view.mode, (points) => ({
      type: 'bar',
      data: widths.map(
        (width) => points.find((each) => each.case.width === width)?.metrics.rate?.median ?? null,
      ),
    })),
  }
}

/**
 * @param {readonly Summary[]} summaries
 * @param {View} view
 */
export function inspection(summaries, view) {
  const chosen = select(summaries, view, 'inspect')
  return {
    ...frame(
      view.mode,
      'Finding a tree of 10 processes, by processes on the system',
      `${view.runtime}, medians in ms`,
    ),
    xAxis: axis(view.mode, 'processes on the system', { type: 'log', min: 400, max: 6000 }),
    yAxis: sideAxis(view.mode, 'ms', { type: 'log' }),
    series: seriesOf(chosen, view.mode, (points) => ({
      type: 'line',
      data: points.map((each) => [Number(each.case.processes), each.metrics.time?.median ?? null]),
    })),
  }
}

/** @param {number} megabytes */
export function memoryText(megabytes) {
  return megabytes === 0 ? 'small' : `${megabytes / 1024} GB`
}

/** @param {number} width */
export function widthText(width) {
  return width === 1 ? '1 command' : `${width} commands at once`
}

/**
 * @param {readonly Summary[]} summaries
 * @param {View} view
 * @param {string} part
 */
function select(summaries, { runtime, contenders }, part) {
  return summaries
    .filter((each) => each.part === part && each.runtime === runtime && each.count > 0)
    .filter((each) => contenders === undefined || contenders.includes(each.contender))
    .sort(byLook)
}

/**
 * One series for each contender.
 *
 * @param {readonly Summary[]} chosen
 * @param {Mode} mode
 * @param {(points: readonly Summary[]) => object} draw
 */
function seriesOf(chosen, mode, draw) {
  const names = [...new Set(chosen.map(({ contender }) => contender))]
  return names.map((name) => {
    const look = lookOf(name)
    const points = chosen.filter(({ contender }) => contender === name)
    return {
      name: look.label,
      symbol: look.symbol,
      symbolSize: 8,
      color: look[mode],
      lineStyle: { width: name === 'procleash' ? 3 : 1.8, type: look.dashed ? 'dashed' : 'solid' },
      ...draw(points),
    }
  })
}

/** On the first series alone. @param {object} markLine */
function withLimit(markLine) {
  return (/** @type {object} */ series, /** @type {number} */ index) =>
    index === 0 ? { ...series, markLine } : series
}

/**
 * From 0 % on the left to the right edge of the chart.
 *
 * @param {Required<Summary>['shares']} shares
 * @param {number} latest
 */
function curveOf(shares, latest) {
  const last = shares.at(-1)?.[1] ?? 0
  return [[0.1, 0], ...shares, [latest, last]].map(([time = 0, share = 0]) => [
    time,
    Number((share * 100).toFixed(2)),
  ])
}

/** @param {Summary | undefined} summary */
function percentLeft(summary) {
  if (summary?.left === undefined) return null
  return Number(Math.min(100, (summary.left / Number(summary.case.size)) * 100).toFixed(1))
}
