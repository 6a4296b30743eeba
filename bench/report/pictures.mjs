// Which charts go into docs/: for the runtime in which everything was measured.

import * as charts from './charts.mjs'

/** @typedef {import('./summary.mjs').Summary} Summary */
/** @typedef {import('./look.mjs').Mode} Mode */

/** @type {Record<string, (summaries: readonly Summary[], view: { mode: Mode, runtime: string }) => { series: readonly unknown[] }>} */
const pictures = {
  'teardown-size': (summaries, view) => charts.latencyBySize(summaries, { ...view, shape: 'setsid' }),
  'teardown-shares': (summaries, view) =>
    charts.sharesInTime(summaries, { ...view, shape: 'deaf', size: 100 }),
  'teardown-left': (summaries, view) => charts.survivors(summaries, { ...view, part: 'teardown', size: 100 }),
  'host-death-left': (summaries, view) =>
    charts.survivors(summaries, { ...view, part: 'host-death', size: 100 }),
  'spawn-memory': charts.spawnByMemory,
  streams: charts.throughput,
  inspect: charts.inspection,
}

/**
 * Those for which there are figures, by name.
 *
 * @param {readonly Summary[]} summaries
 * @param {{ mode: Mode, runtime: string }} view
 * @returns {Map<string, import('echarts/core').EChartsCoreOption>}
 */
export function optionsOf(summaries, view) {
  const options = Object.entries(pictures).map(
    ([name, draw]) => /** @type {const} */ ([name, draw(summaries, view)]),
  )
  return new Map(options.filter(([, { series }]) => series.length > 0))
}
