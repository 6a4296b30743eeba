// What the runs of scripts/ share of their command lines, and of what they print meanwhile. A wrong command line ends the
// program with 2.

import { runtimes } from './runtimes.mjs'

/** @param {string} message @returns {never} */
export function refuse(message) {
  console.error(message)
  process.exit(2)
}

/** @param {string} name @param {string} text @returns {number} */
export function positive(name, text) {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number > 0) return number
  return refuse(`--${name} must be a positive integer, not ${text}`)
}

/** Options of the runs of random rounds. */
export const ROUND_OPTIONS = /** @type {const} */ ({
  seed: { type: 'string' },
  runtime: { type: 'string', multiple: true },
  control: { type: 'boolean', default: false },
})

/**
 * Refuses a name that is none of these.
 *
 * @param {string} option
 * @param {readonly string[]} names
 * @param {readonly string[]} known
 */
export function checkNames(option, names, known) {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) refuse(`--${option}: there is no ${unknown}; there are ${known.join(', ')}`)
}

/**
 * Those that --runtime names, once or more often, each a name or a list with commas. Default: all. Of one that is
 * missing it is said, and the program will end with 1.
 *
 * @param {readonly string[] | undefined} lists
 */
export function chosenRuntimes(lists) {
  const all = runtimes()
  const names = lists?.flatMap((list) => list.split(','))
  checkNames(
    'runtime',
    names ?? [],
    all.map(({ name }) => name),
  )
  const chosen = all.filter(({ name }) => names === undefined || names.includes(name))
  for (const { name, missing } of chosen) {
    if (missing === undefined) continue
    console.error(`${name} is missing: ${missing}`)
    process.exitCode = 1
  }
  return chosen.filter(({ missing }) => missing === undefined)
}

/** Prints a line of progress, at most one in ten seconds. @returns {(line: () => string) => void} */
export function createProgress() {
  let told = performance.now()
  return (line) => {
    if (performance.now() - told < 10_000) return
    told = performance.now()
    console.log(line())
  }
}
