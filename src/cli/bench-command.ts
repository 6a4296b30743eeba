// `procleash bench`: how long a stop takes on this machine, and what is left by a signal to the command alone.

import { availableParallelism } from 'node:os'
import { capabilities } from '../capabilities.js'
import { runtime } from '../doctor/examine.js'
import { VERSION } from '../version.js'
import { BUDGET, type Contender, type Manner, type Stops, stopOnce } from './measure-stops.js'
import { benchHelp, UsageError } from './usage.js'
import { parseStrictly } from './values.js'

const HELP = 'bench --help'
const ROUNDS = 10
const SIZES = ['1', '10', '100']
/** What one keeper holds in its tables is far above; a shell takes long to start more. */
const MOST = 5000

const options = {
  rounds: { type: 'string', short: 'n' },
  size: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Returns 0 when each stop has left nothing within the budget, 1 when one has not. */
export async function benchCommand(args: readonly string[]): Promise<number> {
  const { values } = parseStrictly({ args: [...args], options } as const, HELP)
  if (values.help === true) {
    process.stdout.write(benchHelp)
    return 0
  }
  const rounds = toCount('--rounds', values.rounds ?? String(ROUNDS))
  const sizes = (values.size ?? SIZES).map((text) => toCount('--size', text))
  const rows: Stops[] = []
  if (values.json !== true) process.stdout.write(`${title()}\n\n${cells(HEAD)}\n`)
  for (const size of sizes) {
    for (const manner of ['obeys', 'deaf'] as const) {
      const measured = await measure({ manner, size, rounds })
      rows.push(...measured)
      if (values.json !== true) for (const stops of measured) process.stdout.write(`${cells(rowOf(stops))}\n`)
    }
  }
  const ok = rows.every(holds)
  if (values.json === true) {
    process.stdout.write(
      `${JSON.stringify({ procleash: VERSION, budget: BUDGET, ok, stops: rows }, null, 2)}\n`,
    )
  } else {
    process.stdout.write(`\n${ok ? 'Every stop' : 'Not every stop'} left nothing within ${BUDGET} ms.\n`)
  }
  return ok ? 0 : 1
}

function toCount(option: string, text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 1 && count <= MOST) return count
  throw new UsageError(`${option} must be a whole number from 1 to ${MOST}; got '${text}'`, HELP)
}

/** In turn, so that whatever else this machine does meets all alike. */
async function measure(tree: { manner: Manner; size: number; rounds: number }): Promise<readonly Stops[]> {
  const { manner, size, rounds } = tree
  const { grade, strongest } = capabilities()
  const contenders = new Set<Contender>([grade, strongest, 'child.kill'])
  const found = [...contenders].map((by) => ({ manner, size, by, times: [] as number[], left: 0 }))
  for (let round = 0; round < rounds; round += 1) {
    for (const stops of found) {
      const { time, left } = await stopOnce(manner, size, stops.by)
      if (time !== undefined) stops.times.push(time)
      stops.left += left
    }
  }
  return found
}

function holds({ by, times, left }: Stops): boolean {
  return by === 'child.kill' || (left === 0 && times.every((time) => time <= BUDGET))
}

function title(): string {
  const { name, version } = runtime()
  return `procleash ${VERSION}, ${name} ${version}, ${process.platform}-${process.arch}, ${availableParallelism()} cores
Stops with a budget of ${BUDGET} ms, from the call until nothing is left; half of each tree in sessions of their own.`
}

type Row = readonly [tree: string, size: string, by: string, median: string, most: string, left: string]

const HEAD: Row = ['tree', 'processes', 'by', 'median', 'longest', 'left']

function rowOf({ manner, size, by, times, left }: Stops): Row {
  const tree = manner === 'obeys' ? 'obeys SIGTERM' : 'deaf to SIGTERM'
  const name = by === 'child.kill' ? "child.kill('SIGKILL')" : `procleash, ${by}`
  const sorted = times.toSorted((a, b) => a - b)
  const [median, longest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map(milliseconds)
  return [tree, String(size), name, median ?? '', longest ?? '', String(left)]
}

function milliseconds(time: number | undefined): string {
  return time === undefined ? '-' : `${time < 10 ? time.toFixed(2) : time.toFixed(0)} ms`
}

function cells([tree, size, by, ...numbers]: Row): string {
  return [
    tree.padEnd(15),
    size.padStart(9),
    `  ${by.padEnd(21)}`,
    ...numbers.map((text) => text.padStart(9)),
  ].join(' ')
}
