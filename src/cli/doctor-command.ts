// `procleash doctor`: what this machine gives, and whether a stop holds here.

import { type Examination, examine } from '../doctor/examine.js'
import type { SelfTest } from '../doctor/self-test.js'
import { doctorHelp } from './usage.js'
import { parseStrictly } from './values.js'

const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

/** Returns 0 when the promise holds, 1 when it does not. */
export async function doctorCommand(args: readonly string[]): Promise<number> {
  const { values } = parseStrictly({ args: [...args], options } as const, 'doctor --help')
  if (values.help === true) {
    process.stdout.write(doctorHelp)
    return 0
  }
  const examination = await examine()
  process.stdout.write(
    values.json === true ? `${JSON.stringify(examination, null, 2)}\n` : describe(examination),
  )
  return examination.ok ? 0 : 1
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
