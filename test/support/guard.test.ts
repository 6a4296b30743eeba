// The guard and the reader of /proc that it stands on: they see what a test left, and never take anything else for it.

import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { checkNothingLeft, guardEachTest, leftProcesses } from './guard.js'
import { startHost } from './host.js'
import { endProcess, identify, isAlive, parseStat } from './proc.js'
import { chosenRuntimes } from './runtimes.js'
import { waitUntil, within } from './wait.js'

guardEachTest()

it('names and ends what a host left, and nothing of others, be it the same program', async () => {
  const runtime = chosenRuntimes().find(({ missing }) => missing === undefined)!
  const host = await startHost(runtime)
  const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  const innocent = identify(other.pid!)
  const pid = await host.evaluate(({ childProcess }) => {
    const child = childProcess.spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    return child.pid!
  }, null)
  const stray = identify(pid)
  try {
    expect(leftProcesses().map((stat) => stat.pid)).toEqual([pid])
    await expect(checkNothingLeft()).rejects.toThrow(`pid ${pid} (parent ${host.pid}`)
    await waitUntil(() => !isAlive(stray), 2000, 'the stray is ended')
    expect(isAlive(innocent)).toBe(true)
  } finally {
    const ended = new Promise((resolve) => other.once('exit', resolve))
    endProcess(innocent)
    await within(ended, 2000, 'our own child has ended')
  }
})

it('reads a stat line whose name holds brackets and blanks', () => {
  const fields = Array.from({ length: 49 }, (_, index) => String(index + 4))
  expect(parseStat(`42 (a) R (b)) S ${fields.join(' ')}`)).toEqual({
    pid: 42,
    comm: 'a) R (b)',
    state: 'S',
    ppid: 4,
    pgid: 5,
    sid: 6,
    startTime: 22,
  })
})

it('takes another process that got the same number for another one', () => {
  const { pid, startTime } = identify(process.pid)
  expect(isAlive({ pid, startTime })).toBe(true)
  expect(isAlive({ pid, startTime: startTime + 1 })).toBe(false)
})
