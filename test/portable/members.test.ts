// Who belongs to a tree, from lists made by hand.

import { expect, it } from 'vitest'
import { escapeOf, membersOf } from '../../src/portable/members.js'
import type { Row } from '../../src/portable/system.js'

const COMMAND = 1_000_000

function row(pid: number, ppid: number, more: Partial<Row> = {}): Row {
  const ids = { pid, ppid, pgid: COMMAND, sid: COMMAND, startTime: 100 }
  const rest = { cpuTime: 0, memory: 0, threads: 0, state: 'S', argv: ['x'], mark: '' } as const
  return { ...ids, ...rest, ...more }
}

const led = (pid: number) => ({ pgid: pid, sid: pid })
const stranger = row(7, 1, led(7))
const roots = { command: COMMAND, hasEnded: false, id: 'abc-1' }
const numbers = (list: readonly Row[], over = {}, known = new Map<number, Row>()) =>
  [...membersOf(list, { ...roots, ...over }, known).keys()].map((pid) => pid - COMMAND).sort((a, b) => a - b)

it('the command, its group, its session, its descendants and what these lead; nobody else', () => {
  const list = [
    stranger,
    row(COMMAND, 5),
    row(COMMAND + 1, COMMAND),
    row(COMMAND + 2, 1),
    row(COMMAND + 3, 1, { pgid: COMMAND + 3 }),
    row(COMMAND + 4, COMMAND, led(COMMAND + 4)),
    row(COMMAND + 5, 1, led(COMMAND + 4)),
    row(COMMAND + 6, 1, led(COMMAND + 6)),
    row(COMMAND + 7, 1, { ...led(COMMAND + 7), mark: 'outer:abc-1:inner' }),
    row(COMMAND + 8, 1, { ...led(COMMAND + 8), mark: 'abc-11' }),
  ]
  expect(numbers(list)).toEqual([0, 1, 2, 3, 4, 5, 7])
})

it('who was known stays, as the same process only', () => {
  const known = new Map([COMMAND + 1, COMMAND + 2].map((pid) => [pid, row(pid, COMMAND, led(pid))]))
  const list = [
    row(COMMAND, 5),
    row(COMMAND + 1, 1, { ...led(COMMAND + 1), startTime: 101 }),
    row(COMMAND + 2, 1, { ...led(COMMAND + 2), startTime: 160 }),
  ]
  expect(numbers(list, {}, known)).toEqual([0, 1])
})

it("after the command's end its number may be another's, with a group of its own", () => {
  const list = [row(COMMAND, 1), row(COMMAND + 1, COMMAND)]
  expect(numbers(list, { hasEnded: true })).toEqual([])
  expect(numbers([row(COMMAND + 1, 1)], { hasEnded: true })).toEqual([1])
})

it('zombies, process 1, this process and its parent are no members, whatever the list says', () => {
  const list = [
    row(COMMAND, 5, { state: 'Z' }),
    row(1, COMMAND),
    row(process.pid, COMMAND),
    row(process.ppid, COMMAND),
  ]
  expect(numbers(list)).toEqual([])
})

it('says how each has left', () => {
  const child = row(COMMAND + 1, COMMAND)
  const members = new Map([[COMMAND, row(COMMAND, 5)]])
  const escaped = (more: Partial<Row>) => escapeOf({ ...child, ...more }, COMMAND, members)
  expect(escaped({})).toBeNull()
  expect(escaped({ pgid: COMMAND + 1 })).toBe('group')
  expect(escaped(led(COMMAND + 1))).toBe('session')
  expect(escaped({ ...led(COMMAND + 1), ppid: 1 })).toBe('daemon')
  expect(escaped({ pgid: COMMAND + 1, sid: 0 })).toBe('group')
})
