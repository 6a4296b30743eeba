// A chart as an SVG text, without a browser.

import { init } from './engine.mjs'

/**
 * @param {import('echarts/core').EChartsCoreOption} option
 * @param {number} [height] Pixels, at a width of 900.
 * @returns {string}
 */
export function svgOf(option, height = 460) {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: 900, height })
  chart.setOption(option)
  const text = chart.renderToSVGString()
  chart.dispose()
  return `${text}\n`
}
