// What all charts share: grid, axes, legend, fonts.

import { inks } from './look.mjs'

/** @typedef {import('./look.mjs').Mode} Mode */

/** Without quotes: they would end the attribute of the SVG text. */
const FONT = 'system-ui, sans-serif'

/**
 * @param {Mode} mode
 * @param {string} title
 * @param {string} subtitle
 */
export function frame(mode, title, subtitle) {
  const ink = inks[mode]
  return {
    animation: false,
    backgroundColor: ink.paper,
    textStyle: { fontFamily: FONT, color: ink.text },
    title: {
      text: title,
      subtext: subtitle,
      left: 8,
      top: 6,
      textStyle: { color: ink.text, fontSize: 15, fontWeight: 600 },
      subtextStyle: { color: ink.muted, fontSize: 12 },
    },
    grid: { left: 72, right: 230, top: 74, bottom: 52 },
    legend: {
      type: 'scroll',
      orient: 'vertical',
      right: 14,
      top: 70,
      width: 200,
      itemWidth: 22,
      textStyle: { color: ink.text, fontSize: 12 },
      pageTextStyle: { color: ink.muted },
      inactiveColor: ink.muted,
    },
    tooltip: {
      trigger: 'item',
      backgroundColor: ink.paper,
      borderColor: ink.line,
      textStyle: { color: ink.text, fontSize: 12 },
    },
  }
}

/**
 * @param {Mode} mode
 * @param {string} name
 * @param {object} [more]
 */
export function axis(mode, name, more = {}) {
  const ink = inks[mode]
  return {
    name,
    nameLocation: 'middle',
    nameGap: 32,
    nameTextStyle: { color: ink.muted, fontSize: 12 },
    axisLine: { show: true, lineStyle: { color: ink.muted } },
    axisLabel: { color: ink.text, fontSize: 12 },
    axisTick: { lineStyle: { color: ink.muted } },
    splitLine: { show: true, lineStyle: { color: ink.line } },
    ...more,
  }
}

/**
 * @param {Mode} mode
 * @param {string} name
 * @param {object} [more]
 */
export function sideAxis(mode, name, more = {}) {
  return axis(mode, name, { nameGap: 52, ...more })
}

/**
 * A line for the budget of an interrupt.
 *
 * @param {Mode} mode
 * @param {'xAxis' | 'yAxis'} side
 * @param {number} value
 * @param {string} label
 */
export function limitLine(mode, side, value, label) {
  const { limit } = inks[mode]
  return {
    silent: true,
    symbol: 'none',
    lineStyle: { color: limit, type: 'solid', width: 1.5 },
    label: {
      formatter: label,
      color: limit,
      fontSize: 12,
      position: side === 'yAxis' ? 'insideStartTop' : 'insideEndTop',
    },
    data: [{ [side]: value }],
  }
}
