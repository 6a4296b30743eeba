#!/usr/bin/env node
// The command line: finds the command's handler, and turns what it returns into the exit status.

import { show } from '../errors.js'
import { VERSION } from '../version.js'
import { benchCommand } from './bench-command.js'
import { doctorCommand } from './doctor-command.js'
import { initCommand } from './init-command.js'
import { runCommand } from './run-command.js'
import { stopCommand } from './stop-command.js'
import { treeCommand } from './tree-command.js'
import {
  benchHelp,
  doctorHelp,
  ExitStatus,
  mainHelp,
  runHelp,
  stopHelp,
  treeHelp,
  UsageError,
} from './usage.js'

const helps: ReadonlyMap<string | undefined, string> = new Map([
  ['run', runHelp],
  ['stop', stopHelp],
  ['tree', treeHelp],
  ['doctor', doctorHelp],
  ['bench', benchHelp],
])

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  switch (name) {
    case 'run':
      return runCommand(rest)
    case 'init':
      return initCommand(rest)
    case 'stop':
      return stopCommand(rest)
    case 'tree':
      return treeCommand(rest)
    case 'doctor':
      return doctorCommand(rest)
    case 'bench':
      return benchCommand(rest)
    case '--version':
    case '-V':
      return print(`procleash ${VERSION}\n`)
    case '--help':
    case '-h':
      return print(mainHelp)
    case 'help':
      if (rest[0] === 'init') return initCommand(['--help'])
      return print(helps.get(rest[0]) ?? mainHelp)
    case undefined:
      throw new UsageError('a command is missing')
    default:
      throw new UsageError(name.startsWith('-') ? `unknown option ${name}` : `unknown command ${show(name)}`)
  }
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.exitCode = ExitStatus.procleashFailed
  const message = error instanceof Error ? error.message : String(error)
  const hint = error instanceof UsageError ? `\nTry 'procleash ${error.help}'.` : ''
  process.stderr.write(`procleash: ${message}${hint}\n`)
}
