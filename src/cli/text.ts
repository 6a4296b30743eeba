// Words of the command line about processes. Their arguments are another program's text.

import type { Survivor } from '../types.js'

export function warn(text: string): void {
  process.stderr.write(`procleash: ${text}\n`)
}

export function describeSurvivor({ pid, argv, state, reason }: Survivor): string {
  return `pid ${pid} (${printable(argv.join(' ')).slice(0, 200)}), state ${state}: ${reason}`
}

/** Without control characters, which could do anything to a terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?')
}
