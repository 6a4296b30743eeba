// The arguments of `procleash run`: its own options stop at `--` or at the first word that is none, so that
// `procleash run ls -l` leaves -l to ls.

import { parseArgs } from 'node:util'
import { signalNumber } from '../signals.js'
import type { Leftovers, SignalName } from '../types.js'
import { parseDuration } from './duration.js'
import { UsageError } from './usage.js'

export interface RunArguments {
  readonly help: boolean
  readonly file: string
  readonly args: readonly string[]
  readonly budget: number | undefined
  readonly timeout: number | undefined
  readonly stopSignal: number | undefined
  readonly leftovers: Leftovers | undefined
  readonly json: string | undefined
}

const options = {
  budget: { type: 'string', short: 'k' },
  timeout: { type: 'string', short: 't' },
  signal: { type: 'string', short: 's' },
  leftovers: { type: 'string' },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

export function parseRunArguments(args: readonly string[]): RunArguments {
  const end = endOfOptions(args)
  const values = parseOptions(args.slice(0, end))
  const [file, ...rest] = args.slice(args[end] === '--' ? end + 1 : end)
  if (file === undefined && values.help !== true) throw wrong('a command is missing')
  const timeout = toDuration('--timeout', values.timeout)
  return {
    help: values.help === true,
    file: file ?? '',
    args: rest,
    budget: toDuration('--budget', values.budget),
    timeout: timeout === 0 ? undefined : timeout,
    stopSignal: values.signal === undefined ? undefined : toSignal(values.signal),
    leftovers: values.leftovers === undefined ? undefined : toLeftovers(values.leftovers),
    json: values.json,
  }
}

/** Index of `--` or of the first word that belongs to the command. */
function endOfOptions(args: readonly string[]): number {
  const { tokens } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const end = tokens.find((token) => token.kind !== 'option')
  return end?.index ?? args.length
}

function parseOptions(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: false, strict: true }).values
  } catch (error) {
    const [message = ''] = String(error instanceof Error ? error.message : error).split('\n', 1)
    throw wrong(message)
  }
}

function toDuration(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const duration = parseDuration(text)
  if (duration !== undefined) return duration
  throw wrong(`${option} must be a duration like 500ms, 2s, 1.5m or 1h, at most 596h; got '${text}'`)
}

/** `TERM`, `SIGTERM`, `term` or `15`, as for kill(1). */
function toSignal(text: string): number {
  const name = text.toUpperCase()
  const value = /^\d+$/.test(text)
    ? Number(text)
    : ((name.startsWith('SIG') ? name : `SIG${name}`) as SignalName)
  try {
    return signalNumber(value, '--signal')
  } catch {
    throw wrong(`--signal must be a signal's name or number, like TERM or 15; got '${text}'`)
  }
}

function toLeftovers(text: string): Leftovers {
  if (text === 'stop' || text === 'keep') return text
  throw wrong(`--leftovers must be stop or keep; got '${text}'`)
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'run --help')
}
