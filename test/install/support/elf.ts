// What a binary asks of the system that loads it, by readelf(1).

import { execFileSync } from 'node:child_process'

function readelf(options: readonly string[], file: string): string {
  return execFileSync('readelf', ['-W', ...options, file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Libraries that it names. */
export function neededLibraries(file: string): string[] {
  return [...readelf(['-d'], file).matchAll(/\(NEEDED\).*\[(.*)\]/g)].map((match) => match[1] ?? '')
}

export interface Symbol {
  readonly name: string
  /** `GLIBC_2.34`; '' for one without. */
  readonly version: string
  readonly defined: boolean
}

export function dynamicSymbols(file: string): Symbol[] {
  const lines = readelf(['--dyn-syms'], file).split('\n')
  const found: Symbol[] = []
  for (const line of lines) {
    const match = /^\s*\d+: \S+\s+\S+ \w+\s+\w+\s+\w+\s+(\S+) ([^@\s]+)(?:@{1,2}(\S+))?/.exec(line)
    if (match === null) continue
    found.push({ name: match[2] ?? '', version: match[3] ?? '', defined: match[1] !== 'UND' })
  }
  return found
}

/** Machine, as readelf calls it, and whether a loader or libraries are asked for. */
export function header(file: string): { machine: string; interpreter: boolean } {
  const text = readelf(['-h', '-l'], file)
  return { machine: /Machine:\s+(.*)/.exec(text)?.[1] ?? '', interpreter: text.includes('INTERP') }
}
