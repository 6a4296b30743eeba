// `procleash stop`: the tree of a process that somebody else started.

import { ProcleashError } from '../errors.js'
import { stopForeignTree } from '../stop-tree.js'
import { openReport, type StopReport } from './json-report.js'
import { describeSurvivor, warn } from './text.js'
import { ExitStatus, stopHelp } from './usage.js'
import { parseStrictly, toDuration, toPid, toSignal } from './values.js'

const HELP = 'stop --help'

const options = {
  budget: { type: 'string', short: 'k' },
  signal: { type: 'string', short: 's' },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Returns the exit status. Throws for a wrong command line, and when the report can't be written. */
export async function stopCommand(args: readonly string[]): Promise<number> {
  const config = { args: [...args], options, allowPositionals: true } as const
  const { values, positionals } = parseStrictly(config, HELP)
  if (values.help === true) {
    process.stdout.write(stopHelp)
    return 0
  }
  const pid = toPid(positionals, HELP)
  const budget = toDuration('--budget', values.budget, HELP)
  const signal = toSignal(values.signal, HELP)
  const report = openReport<StopReport>(values.json)
  try {
    // In a script without job control this process shares its group with what the script started in the background.
    const settlement = await stopForeignTree(pid, { budget, signal }, 'allow')
    for (const survivor of settlement.survivors) warn(`still running: ${describeSurvivor(survivor)}`)
    report({ pid, settlement })
    return settlement.outcome === 'empty' ? 0 : ExitStatus.survivors
  } catch (error) {
    if (!(error instanceof ProcleashError)) throw error
    const { code, message } = error
    report({ pid, settlement: null, error: { code, message } })
    throw error
  }
}
