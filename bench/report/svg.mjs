// A chart as an SVG text, without a browser.

import { init } from './engine.mjs'

/** @param {import('echarts/core').EChartsCoreOption} option @returns {string} */
export function svgOf(option) {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 900, height: 460 })
  chart.setOption(option)
  const text = chart.renderToSVGString()
  chart.dispose()
  return `${text}\n`
}
