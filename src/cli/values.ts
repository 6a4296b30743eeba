// Values of options and arguments that several commands share. Each throws a UsageError that shows the fitting help.

import { type ParseArgsConfig, parseArgs } from 'node:util'
import { signalNumber } from '../signals.js'
import type { SignalName } from '../types.js'
import { parseDuration } from './duration.js'
import { UsageError } from './usage.js'

export function toDuration(option: string, text: string | undefined, help: string): number | undefined {
  if (text === undefined) return undefined
  const duration = parseDuration(text)
  if (duration !== undefined) return duration
  throw new UsageError(
    `${option} must be a duration like 500ms, 2s, 1.5m or 1h, at most 596h; got '${text}'`,
    help,
  )
}

/** `TERM`, `SIGTERM`, `term` or `15`, as for kill(1). */
export function toSignal(text: string | undefined, help: string): number | undefined {
  if (text === undefined) return undefined
  const name = text.toUpperCase()
  const value = /^\d+$/.test(text)
    ? Number(text)
    : ((name.startsWith('SIG') ? name : `SIG${name}`) as SignalName)
  try {
    return signalNumber(value, '--signal')
  } catch {
    throw new UsageError(`--signal must be a signal's name or number, like TERM or 15; got '${text}'`, help)
  }
}

/** The one process that a command is about. */
export function toPid(positionals: readonly string[], help: string): number {
  const [text, ...rest] = positionals
  if (text === undefined) throw new UsageError('a PID is missing', help)
  if (rest.length > 0) throw new UsageError(`only one PID is taken; got ${positionals.join(' ')}`, help)
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new UsageError(`PID must be the number of a process; got '${text}'`, help)
}

/** `parseArgs`, strict by default, whose own message becomes a UsageError. */
export function parseStrictly<Config extends ParseArgsConfig>(
  config: Config,
  help: string,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    const [message = ''] = String(error instanceof Error ? error.message : error).split('\n', 1)
    throw new UsageError(message, help)
  }
}
