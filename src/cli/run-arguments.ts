// The arguments of `procleash run`: its own options stop at `--` or at the first word that is none, so that
// `procleash run ls -l` leaves -l to ls.

import { parseArgs } from 'node:util'
import type { RightsOptions } from '../rights/types.js'
import type { Leftovers } from '../types.js'
import { rightsOptions, toRights } from './rights-options.js'
import { UsageError } from './usage.js'
import { parseStrictly, toDuration, toSignal } from './values.js'

const HELP = 'run --help'

export interface RunArguments {
  readonly help: boolean
  readonly file: string
  readonly args: readonly string[]
  readonly budget: number | undefined
  readonly timeout: number | undefined
  readonly stopSignal: number | undefined
  readonly leftovers: Leftovers | undefined
  readonly json: string | undefined
  readonly rights: RightsOptions
}

const options = {
  budget: { type: 'string', short: 'k' },
  timeout: { type: 'string', short: 't' },
  signal: { type: 'string', short: 's' },
  leftovers: { type: 'string' },
  json: { type: 'string' },
  ...rightsOptions,
  help: { type: 'boolean', short: 'h' },
} as const

export function parseRunArguments(args: readonly string[]): RunArguments {
  const end = endOfOptions(args)
  const config = { args: args.slice(0, end), options, allowPositionals: false }
  const { values } = parseStrictly(config, HELP)
  const [file, ...rest] = args.slice(args[end] === '--' ? end + 1 : end)
  if (file === undefined && values.help !== true) throw wrong('a command is missing')
  const timeout = toDuration('--timeout', values.timeout, HELP)
  return {
    help: values.help === true,
    file: file ?? '',
    args: rest,
    budget: toDuration('--budget', values.budget, HELP),
    timeout: timeout === 0 ? undefined : timeout,
    stopSignal: toSignal(values.signal, HELP),
    leftovers: values.leftovers === undefined ? undefined : toLeftovers(values.leftovers),
    json: values.json,
    rights: toRights(values, HELP),
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

function toLeftovers(text: string): Leftovers {
  if (text === 'stop' || text === 'keep') return text
  throw wrong(`--leftovers must be stop or keep; got '${text}'`)
}

function wrong(message: string): UsageError {
  return new UsageError(message, HELP)
}
