// Which faults a run makes: for every call that a run without a fault has made, each error that it can give, at each
// call from the first to the last.

import { CALLS, canLast, ERRORS, ROLES, SHORTAGES } from './calls.mjs'

export const SCENARIOS = [
  'start',
  'leftovers',
  'stop',
  'timeout',
  'keeper-death',
  'helpers-death',
  'host-death',
  'stop-tree',
  'watch-tree',
]

/** So far every call; beyond, where a whole list of processes is read, ever fewer. */
const ALL = 16
const FEWER = 1.6

/** @param {number} count */
function everyNth(count) {
  const all = Array.from({ length: Math.min(count, ALL) }, (_, index) => index + 1)
  for (let nth = ALL * FEWER; nth < count; nth *= FEWER) all.push(Math.round(nth))
  if (count > ALL) all.push(count)
  return [...new Set(all)]
}

/** What lasts hits all later calls too: the first, and ever fewer. @param {number} count */
function startsOf(count) {
  const starts = []
  for (let nth = 1; nth <= count; nth = Math.ceil(nth * FEWER + 0.1)) starts.push(nth)
  return starts
}

/**
 * @param {Map<string, number>} seen Of a run without a fault, by `role call`.
 * @returns {import('./page.mjs').Fault[]}
 */
export function faultsFor(seen) {
  /** @type {import('./page.mjs').Fault[]} */
  const faults = []
  for (const role of ROLES) {
    for (const call of CALLS) {
      const count = seen.get(`${role} ${call}`) ?? 0
      for (const error of ERRORS[call] ?? []) {
        const once = SHORTAGES.includes(call) ? [] : everyNth(count)
        faults.push(...once.map((nth) => ({ role, call, error, nth, lasts: false })))
        if (!canLast(call, error)) continue
        faults.push(...startsOf(count).map((nth) => ({ role, call, error, nth, lasts: true })))
      }
    }
  }
  return faults
}

/** @param {import('./page.mjs').Fault} fault */
export function faultName({ role, call, error, nth, lasts }) {
  return `${role}:${call}:${error}:${nth}${lasts ? '+' : ''}`
}

/**
 * @param {string} name As `faultName` gives it.
 * @returns {import('./page.mjs').Fault | undefined}
 */
export function faultOf(name) {
  const [role, call = '', error = '', nth = ''] = name.split(':')
  const known = ROLES.find((one) => one === role)
  const number = Number.parseInt(nth, 10)
  if (known === undefined || !(number > 0) || ERRORS[call]?.includes(error) !== true) return undefined
  return { role: known, call, error, nth: number, lasts: nth.endsWith('+') }
}
