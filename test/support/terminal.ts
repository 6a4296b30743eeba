// Runs a program as a job in a terminal of its own (terminal.py) and types into it.

import { fileURLToPath } from 'node:url'
import { runProgram } from './program.js'
import { python } from './tools.js'

const player = fileURLToPath(new URL('./terminal.py', import.meta.url))

export const CTRL_C = '\u0003'

export interface TerminalStep {
  /** Text that has to appear after that of the step before. */
  readonly expect: string
  /** Typed then. */
  readonly send?: string
}

export interface TerminalReport {
  readonly output: string
  readonly code: number | null
  readonly signal: string | null
  /** Whether the job was ever in state T. */
  readonly stopped: boolean
  readonly timedOut: boolean
}

export async function runInTerminal(
  argv: readonly string[],
  options: {
    readonly steps?: readonly TerminalStep[]
    readonly background?: boolean
    /** Seconds. */
    readonly deadline?: number
    readonly env?: Readonly<Record<string, string>>
  } = {},
): Promise<TerminalReport> {
  const { env = {}, deadline = 20, ...rest } = options
  const result = await runProgram([python, player, JSON.stringify({ argv, deadline, ...rest })], {
    env,
    deadline: (deadline + 5) * 1000,
  })
  if (result.code !== 0) throw new Error(`terminal.py failed: ${result.stderr}`)
  return JSON.parse(result.stdout) as TerminalReport
}
