// `procleash run`: one command with the terminal's own input and output, which pass no JavaScript on their way.

import { ProcleashError, SpawnError } from '../errors.js'
import { signalNumber } from '../signals.js'
import { spawn } from '../spawn.js'
import type { Exit, Settlement, Subprocess } from '../types.js'
import { type HostSignals, handleHostSignals } from './host-signals.js'
import { openReport, type Report, type WriteReport } from './json-report.js'
import { parseRunArguments, type RunArguments } from './run-arguments.js'
import { describeSurvivor, warn } from './text.js'
import { ExitStatus, runHelp } from './usage.js'

/** Returns the exit status. Throws for a wrong command line, and when the report can't be written. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const parsed = parseRunArguments(args)
  if (parsed.help) {
    process.stdout.write(runHelp)
    return 0
  }
  const report = openReport<Report>(parsed.json)
  const signals = handleHostSignals()
  try {
    const command = await start(parsed)
    signals.attach(command)
    return await finish(command, signals, report)
  } catch (error) {
    if (!(error instanceof ProcleashError)) throw error
    return explain(error, parsed, report)
  } finally {
    signals.release()
  }
}

function start({
  file,
  args,
  budget,
  timeout,
  stopSignal,
  leftovers,
  rights,
}: RunArguments): Promise<Subprocess> {
  const stdio = { stdin: 'inherit', stdout: 'inherit', stderr: 'inherit' } as const
  return spawn(file, args, { ...stdio, budget, timeout, stopSignal, leftovers, ...rights })
}

async function finish(
  command: Subprocess,
  signals: HostSignals,
  report: WriteReport<Report>,
): Promise<number> {
  const settlement = await command.settled
  const exit = await command.exited
  const { file, args, pid } = command
  for (const survivor of settlement.survivors) warn(`still running: ${describeSurvivor(survivor)}`)
  if (settlement.reason === 'supervisor-lost') warn('the keeper of the command was lost')
  report({ command: { file, args, pid }, exit, settlement })
  return exitStatus(exit, settlement, signals)
}

function exitStatus(exit: Exit, settlement: Settlement, signals: HostSignals): number {
  const stoppedBy = signals.stoppedBy()
  if (settlement.reason === 'timeout') return ExitStatus.timedOut
  // With another reason, the command's end came before the signal.
  if (settlement.reason === 'stop' && stoppedBy !== undefined) return signalled(stoppedBy)
  if (exit.signal !== null) return signalled(exit.signal)
  return exit.code ?? ExitStatus.procleashFailed
}

function signalled(signal: NodeJS.Signals): number {
  return ExitStatus.signalled + signalNumber(signal, 'signal')
}

/** Nothing was started: say why, in the words of timeout(1)'s statuses. */
function explain(error: ProcleashError, { file, args }: RunArguments, report: WriteReport<Report>): number {
  const { code, message } = error
  warn(message)
  report({ command: { file, args, pid: null }, exit: null, settlement: null, error: { code, message } })
  if (!(error instanceof SpawnError) || error.syscall !== 'execve') return ExitStatus.procleashFailed
  return code === 'ENOENT' ? ExitStatus.notFound : ExitStatus.notExecutable
}
