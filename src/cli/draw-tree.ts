// A tree of processes as lines of text: columns of numbers, then the command behind the tree's own lines.

import { parentInTree } from '../tree-order.js'
import type { ProcessInfo } from '../types.js'
import { printable } from './text.js'

export interface DrawStyle {
  /** Box-drawing lines and colours, or ASCII. */
  readonly look: 'terminal' | 'plain'
  /** Longer lines are cut; Infinity for none. */
  readonly width: number
}

type Colour = 'dim' | 'bold' | 'red' | 'green' | 'yellow' | 'magenta'

const codes: Readonly<Record<Colour, number>> = {
  dim: 2,
  bold: 1,
  red: 31,
  green: 32,
  yellow: 33,
  magenta: 35,
}

const lines = {
  terminal: { branch: '├─ ', last: '└─ ', trunk: '│  ', gap: '   ' },
  plain: { branch: '|- ', last: '`- ', trunk: '|  ', gap: '   ' },
} as const

const stateColours: Readonly<Record<string, Colour>> = {
  R: 'green',
  D: 'red',
  Z: 'red',
  T: 'magenta',
  t: 'magenta',
}

const notes = { group: ' (own group)', session: ' (own session)', daemon: ' (daemon)' } as const

/** `processes` as `inspectTree` gives them, the first one being the root. */
export function drawTree(processes: readonly ProcessInfo[], style: DrawStyle): string[] {
  const paint = style.look === 'terminal' ? colour : (_: Colour, text: string) => text
  const stems = stemsOf(processes, lines[style.look])
  const rows = processes.map(cellsOf)
  const heads = ['PID', 'PGID', 'SID', 'S', 'CPU', 'MEM', 'THR']
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')
  const used = line(heads).length + 2

  const drawn = processes.map((process, index) => {
    const stem = stems[index] ?? ''
    const note = process.escaped === null ? '' : notes[process.escaped]
    const room = Math.max(0, style.width - used - stem.length - note.length)
    const command = cut(commandOf(process), room)
    const numbers = line(rows[index] ?? [])
    const state = stateColours[process.state]
    return [
      state === undefined ? numbers : paint(state, numbers),
      '  ',
      paint('dim', stem),
      index === 0 ? paint('bold', command) : command,
      paint('yellow', note),
    ].join('')
  })
  return [paint('dim', `${line(heads)}  COMMAND`), ...drawn]
}

/** The lines before each command: which of its ancestors have younger siblings to come. */
function stemsOf(
  processes: readonly ProcessInfo[],
  parts: { readonly branch: string; readonly last: string; readonly trunk: string; readonly gap: string },
): string[] {
  const root = processes[0]?.pid ?? 0
  const known = new Set(processes.map((process) => process.pid))
  const parents = processes.map((process) => parentInTree(root, known, process))
  const lastChild = new Map(processes.map((process, index) => [parents[index], process.pid]))
  const inner = new Map<number, string>([[root, '']])
  return processes.map(({ pid }, index) => {
    if (pid === root) return ''
    const parent = parents[index] ?? root
    const before = inner.get(parent) ?? ''
    const isLast = lastChild.get(parent) === pid
    inner.set(pid, before + (isLast ? parts.gap : parts.trunk))
    return before + (isLast ? parts.last : parts.branch)
  })
}

function cellsOf({ pid, pgid, sid, state, cpuTime, memory, threads }: ProcessInfo): readonly string[] {
  return [`${pid}`, `${pgid}`, `${sid}`, state, duration(cpuTime), bytes(memory), `${threads}`]
}

function commandOf({ argv, state }: ProcessInfo): string {
  if (argv.length > 0) return printable(argv.join(' '))
  return state === 'Z' ? '(zombie)' : '(no arguments)'
}

function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds.toFixed(1)}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${pad(Math.floor(seconds % 60))}s`
  return `${Math.floor(minutes / 60)}h${pad(minutes % 60)}m`
}

function pad(value: number): string {
  return `${value}`.padStart(2, '0')
}

function bytes(value: number): string {
  const units = ['B', 'K', 'M', 'G', 'T']
  let scaled = value
  let unit = 0
  while (scaled >= 1000 && unit < units.length - 1) {
    scaled /= 1024
    unit += 1
  }
  return `${unit === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)}${units[unit]}`
}

function cut(text: string, room: number): string {
  return text.length <= room ? text : text.slice(0, room)
}

function colour(name: Colour, text: string): string {
  return text === '' ? '' : `\u001b[${codes[name]}m${text}\u001b[0m`
}
