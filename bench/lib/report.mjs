// Tables whose lines end with the target and whether it was met.

/**
 * @typedef {object} Line
 * @property {readonly string[]} cells
 * @property {string} [target] Without one the line is there for comparison.
 * @property {boolean} [met]
 */

let targets = 0
let missed = 0

/**
 * @param {string} title
 * @param {readonly string[]} head
 * @param {readonly Line[]} lines
 */
export function printTable(title, head, lines) {
  const rows = lines.map(({ cells, target, met }) => [...cells, target ?? '', verdict(target, met)])
  const all = [[...head, 'target', ''], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  console.log(`\n${title}`)
  for (const row of all) {
    const padded = row.map((cell, column) =>
      /^[\d.-]/.test(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    )
    console.log(`  ${padded.join('  ').trimEnd()}`)
  }
}

/** How many targets were missed; says so. */
export function printSummary() {
  console.log(`\n${missed === 0 ? `all ${targets} targets met` : `${missed} of ${targets} targets MISSED`}`)
  return missed
}

/**
 * @param {string | undefined} target
 * @param {boolean | undefined} met
 */
function verdict(target, met) {
  if (target === undefined) return ''
  targets += 1
  if (met) return 'ok'
  missed += 1
  return 'MISSED'
}
