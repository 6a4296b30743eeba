// Resident memory of keepers and supervisor, as /proc has it.

import { startHost } from '../lib/host.mjs'
import { describeHelper } from '../lib/machine.mjs'
import { parentOf, statusKilobytes } from '../lib/proc.mjs'
import { printTable } from '../lib/report.mjs'
import { median } from '../lib/statistics.mjs'

const COMMANDS = 20
const MOST_KILOBYTES = 150

/** @param {import('../quick.mjs').Setting} setting */
export async function benchMemory({ main }) {
  const host = startHost(main, 'tree-host.mjs')
  const keepers = []
  for (let count = 0; count < COMMANDS; count++) {
    const { pid } = await host.ask('start', {
      contender: 'procleash',
      file: 'sleep',
      args: ['60'],
    })
    keepers.push(parentOf(pid))
  }
  const supervisor = parentOf(keepers[0] ?? 0)
  const { helper } = await host.ask('helper')
  const lines = [line('keeper', keepers), line('supervisor', [supervisor])]
  await host.end()
  printTable(
    `resident memory with ${COMMANDS} commands: kB, helper ${describeHelper(helper)}`,
    ['process', 'number', 'median', 'max'],
    lines,
  )
}

/**
 * @param {string} name
 * @param {readonly number[]} pids
 * @returns {import('../lib/report.mjs').Line}
 */
function line(name, pids) {
  const sizes = pids.map((pid) => statusKilobytes(pid, 'VmRSS'))
  const most = Math.max(...sizes)
  return {
    cells: [name, String(pids.length), median(sizes).toFixed(0), most.toFixed(0)],
    target: `<= ${MOST_KILOBYTES} each`,
    met: most <= MOST_KILOBYTES,
  }
}
