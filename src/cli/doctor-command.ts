// `procleash doctor`: what this machine gives, and whether a stop holds here.

import { parseArgs } from 'node:util'
import { type Examination, examine } from '../doctor/examine.js'
import type { SelfTest } from '../doctor/self-test.js'
import { doctorHelp, UsageError } from './usage.js'

/** Returns 0 when the promise holds, 1 when it does not. */
export async function doctorCommand(args: readonly string[]): Promise<number> {
  const { help, json } = parseOptions([...args])
  if (help) {
    process.stdout.write(doctorHelp)
    return 0
  }
  const examination = await examine()
  process.stdout.write(json ? `${JSON.stringify(examination, null, 2)}\n` : describe(examination))
  return examination.ok ? 0 : 1
}

function parseOptions(args: string[]): { readonly help: boolean; readonly json: boolean } {
  const options = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } } as const
  try {
    const { help = false, json = false } = parseArgs({ args, options, strict: true }).values
    return { help, json }
  } catch (error) {
    const [message = ''] = String(error instanceof Error ? error.message : error).split('\n', 1)
    throw new UsageError(message, 'doctor --help')
  }
}

function describe(examination: Examination): string {
  const { procleash, runtime, platform, arch, kernel, capabilities, helperVersion } = examination
  const lines = [
    `procleash ${procleash}, ${runtime.name} ${runtime.version}, ${platform}-${arch}, kernel ${kernel ?? 'not known'}`,
  ]
  if (capabilities !== null) {
    lines.push(
      `helper    ${capabilities.helper === null ? 'none is used' : `${helperVersion ?? 'can not be started'}  ${capabilities.helper}`}`,
      `grade     ${gradeLine(capabilities)}`,
      '',
    )
  }
  for (const { name, present, effect, fix } of examination.findings) {
    lines.push(`${present ? 'ok     ' : 'missing'}  ${name}`)
    if (!present) lines.push(`           ${effect}`, `           ${fix}`)
  }
  lines.push(
    '',
    ...examination.selfTests.map(testLine),
    ...examination.problems.map((text) => `problem: ${text}`),
  )
  lines.push(
    examination.ok
      ? 'The promise holds here: what a command has started is stopped, and that is proved.'
      : 'The promise does not hold here.',
  )
  return `${lines.join('\n')}\n`
}

function gradeLine({ grade, strongest, reasons }: NonNullable<Examination['capabilities']>): string {
  const more = strongest === grade ? '' : `; '${strongest}' when it is required`
  return reasons.length === 0 ? `${grade}${more}` : `${grade}${more} (${reasons.join('; ')})`
}

function testLine({ grade, ok, roles, left, settlement }: SelfTest): string {
  const title = `self-test of grade '${grade}'`
  if (!ok || settlement === null) return `FAILED   ${title}`
  const seen = left === null ? '/proc could not be read' : `${left} left in /proc`
  const time = `${Math.round(settlement.elapsed)} ms`
  return `ok       ${title}: ${roles.join(', ')} stopped in ${time}, proof ${settlement.proof}, ${seen}`
}
