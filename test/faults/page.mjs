// The fault page: a file that the fault layer maps (see layer.cc). It says which call is to fail, and counts what was
// called while it was armed. Writing the file is enough: a shared mapping sees it at once.

import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { CALLS, ROLES } from './calls.mjs'

const MOST_CALLS = 64
const HEAD = 8
const SIZE = 4 * (HEAD + ROLES.length * MOST_CALLS)
const FOR_EVER = 0x7fffffff
const FIRED = 6

/**
 * @typedef {object} Fault
 * @property {import('./calls.mjs').Role} role
 * @property {string} call
 * @property {string} error The name of an errno.
 * @property {number} nth Of the calls of that role, from 1.
 * @property {boolean} lasts Until the page is disarmed; otherwise once.
 */

/** @typedef {{ fired: number, seen: Map<string, number> }} Counts `seen`: by `role call`. */

/** @param {string} path */
export function createPage(path) {
  writeFileSync(path, Buffer.alloc(SIZE))
}

/**
 * Counts from zero, and waits to be armed; without a fault it will only count. In place: whoever has mapped the file must
 * not find it shorter.
 *
 * @param {string} path
 * @param {Fault} [fault]
 */
export function writePage(path, fault) {
  const page = Buffer.alloc(SIZE)
  const { errno } = constants
  const numbers =
    fault === undefined
      ? [0, -1, -1, 0, 0, 0]
      : [
          ...[0, ROLES.indexOf(fault.role), CALLS.indexOf(fault.call)],
          ...[errno[/** @type {keyof typeof errno} */ (fault.error)], fault.nth],
          fault.lasts ? FOR_EVER : fault.nth,
        ]
  for (const [index, number] of numbers.entries()) page.writeInt32LE(number, index * 4)
  const fd = openSync(path, 'r+')
  writeSync(fd, page, 0, SIZE, 0)
  closeSync(fd)
}

/** @param {string} path */
export function arm(path) {
  setArmed(path, 1)
}

/** @param {string} path */
export function disarm(path) {
  setArmed(path, 0)
}

/**
 * @param {string} path
 * @param {number} armed
 */
function setArmed(path, armed) {
  const number = Buffer.alloc(4)
  number.writeInt32LE(armed)
  const fd = openSync(path, 'r+')
  writeSync(fd, number, 0, 4, 0)
  closeSync(fd)
}

/**
 * @param {string} path
 * @returns {Counts}
 */
export function readPage(path) {
  const page = Buffer.alloc(SIZE)
  const fd = openSync(path, 'r')
  readSync(fd, page, 0, SIZE, 0)
  closeSync(fd)
  /** @type {Map<string, number>} */
  const seen = new Map()
  for (const [roleIndex, role] of ROLES.entries()) {
    for (const [callIndex, call] of CALLS.entries()) {
      const count = page.readInt32LE(4 * (HEAD + roleIndex * MOST_CALLS + callIndex))
      if (count > 0) seen.set(`${role} ${call}`, count)
    }
  }
  return { fired: page.readInt32LE(FIRED * 4), seen }
}
