// `procleash tree`: shows a tree once, or again and again until it is gone.

import { clearTimeout, setTimeout } from 'node:timers'
import { NoSuchProcessError } from '../errors.js'
import { inspectTree } from '../inspect-tree.js'
import { signalNumber } from '../signals.js'
import type { ProcessInfo } from '../types.js'
import { type DrawStyle, drawTree } from './draw-tree.js'
import { ExitStatus, treeHelp } from './usage.js'
import { parseStrictly, toPid } from './values.js'

const HELP = 'tree --help'
/** Milliseconds between two looks of `--watch`. */
const INTERVAL = 500

const options = {
  json: { type: 'boolean' },
  watch: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Returns the exit status. Throws for a wrong command line, and where there is no such process. */
export async function treeCommand(args: readonly string[]): Promise<number> {
  const config = { args: [...args], options, allowPositionals: true } as const
  const { values, positionals } = parseStrictly(config, HELP)
  if (values.help === true) {
    process.stdout.write(treeHelp)
    return 0
  }
  const pid = toPid(positionals, HELP)
  const show = values.json === true ? showJson : showDrawing
  if (values.watch === true) return watch(pid, show(process.stdout, 'again'))
  show(process.stdout, 'once')(await inspectTree(pid))
  return 0
}

type Show = (processes: readonly ProcessInfo[]) => void
type Output = typeof process.stdout
type Times = 'once' | 'again'

function showJson(output: Output, times: Times): Show {
  return (processes) => {
    output.write(`${JSON.stringify(processes, null, times === 'once' ? 2 : undefined)}\n`)
  }
}

/** Again: on a terminal over the drawing before; elsewhere below it, if it has changed. */
function showDrawing(output: Output, times: Times): Show {
  const onTerminal = output.isTTY === true && process.env.TERM !== 'dumb'
  let before = ''
  let height = 0
  return (processes) => {
    const drawn = drawTree(processes, styleOf(output, onTerminal))
    const overwrite = onTerminal && times === 'again'
    const lines = overwrite ? cutToHeight(drawn, output.rows) : drawn
    const text = `${lines.join('\n')}\n`
    if (text === before) return
    // Up to the first line of the drawing before, and clear from there.
    const up = overwrite && height > 0 ? `\u001b[${height}A\r\u001b[J` : ''
    const apart = before !== '' && !overwrite ? '\n' : ''
    output.write(`${up}${apart}${text}`)
    before = text
    height = lines.length
  }
}

function styleOf(output: Output, onTerminal: boolean): DrawStyle {
  if (!onTerminal) return { look: 'plain', width: Infinity }
  return { look: process.env.NO_COLOR ? 'plain' : 'terminal', width: output.columns || 80 }
}

/** A drawing higher than the terminal could not be drawn over again. */
function cutToHeight(lines: readonly string[], rows: number | undefined): readonly string[] {
  const room = (rows || 24) - 1
  if (lines.length <= room) return lines
  return [...lines.slice(0, room - 1), `... and ${lines.length - room + 1} more`]
}

async function watch(pid: number, show: Show): Promise<number> {
  const ending = endOfWatching()
  try {
    let startTime: number | undefined
    while (!ending.hasCome()) {
      const processes = await lookAgain(pid, startTime)
      if (processes === undefined) return 0
      startTime ??= processes[0]?.startTime
      show(processes)
      await ending.within(INTERVAL)
    }
    return ExitStatus.signalled + signalNumber('SIGINT', 'signal')
  } finally {
    ending.release()
  }
}

/** `undefined` when all of it has ended, or the number belongs to another process by now; a first look throws then. */
async function lookAgain(
  pid: number,
  startTime: number | undefined,
): Promise<readonly ProcessInfo[] | undefined> {
  try {
    const processes = await inspectTree(pid)
    const [root] = processes
    if (root === undefined || (startTime ?? root.startTime) !== root.startTime) return undefined
    return processes.every((entry) => entry.state === 'Z') ? undefined : processes
  } catch (error) {
    if (startTime !== undefined && error instanceof NoSuchProcessError) return undefined
    throw error
  }
}

interface Ending {
  hasCome(): boolean
  /** Resolves after that many milliseconds, or at once when it has come. */
  within(milliseconds: number): Promise<void>
  release(): void
}

/** Ctrl-C, or a reader of the output that has gone. */
function endOfWatching(): Ending {
  let come = false
  let wake = (): void => {}
  const onEnd = (): void => {
    come = true
    wake()
  }
  process.on('SIGINT', onEnd)
  process.stdout.on('error', onEnd)
  return {
    hasCome: () => come,
    within: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, come ? 0 : milliseconds)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    release: () => {
      process.off('SIGINT', onEnd)
      process.stdout.off('error', onEnd)
    },
  }
}
