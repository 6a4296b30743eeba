// What the runs of scripts/ share of their command lines. A wrong one ends the program with 2.

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

/**
 * Those that --runtime names, once or more often, each a name or a list with commas. Default: all.
 *
 * @param {readonly string[] | undefined} lists
 */
export function chosenRuntimes(lists) {
  const all = runtimes()
  const names = lists?.flatMap((list) => list.split(','))
  const unknown = names?.find((name) => !all.some((runtime) => runtime.name === name))
  if (unknown !== undefined) {
    refuse(`--runtime: there is no ${unknown}; there are ${all.map(({ name }) => name).join(', ')}`)
  }
  return all.filter(({ name }) => names === undefined || names.includes(name))
}
