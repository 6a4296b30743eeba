// `procleash bench`: real stops, measured; its exit status says whether each has held.

import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Stops } from '../../src/cli/measure-stops.js'
import { guardEachTest } from '../support/guard.js'
import { runProgram } from '../support/program.js'
import { forEachRuntime } from '../support/runtimes.js'

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

forEachRuntime((runtime) => {
  guardEachTest()
  const bench = (...args: readonly string[]) =>
    runProgram([runtime.command, ...runtime.args, main, 'bench', ...args])

  it('measures each kind of stop, and what a plain kill leaves', async () => {
    const { code, stdout } = await bench('--rounds', '2', '--size', '1', '--size', '5', '--json')

    const { ok, budget, stops } = JSON.parse(stdout) as { ok: boolean; budget: number; stops: Stops[] }
    const ours = stops.filter(({ by }) => by !== 'child.kill')
    expect(ours.map(({ left, times }) => [left, times.length])).toEqual(ours.map(() => [0, 2]))
    expect(new Set(ours.map(({ size, manner }) => `${manner} ${size}`))).toEqual(
      new Set(['obeys 1', 'deaf 1', 'obeys 5', 'deaf 5']),
    )
    const naive = stops.filter(({ by }) => by === 'child.kill')
    expect(naive.map(({ size, left }) => [size, left])).toEqual([
      [1, 0],
      [1, 0],
      [5, 8],
      [5, 8],
    ])
    // On a busy machine a stop may be late: it says so.
    const held = ours.every(({ times }) => times.every((time) => time <= budget))
    expect([ok, code]).toEqual(held ? [true, 0] : [false, 1])
  })

  it('is a table for people', async () => {
    const { stdout } = await bench('-n', '1', '--size', '3')
    expect(stdout).toMatch(/^procleash \S+, \w+ [\d.]+, linux-\w+, \d+ cores\n/)
    expect(stdout).toMatch(/^obeys SIGTERM +3 +procleash, \w+ +[\d.]+ ms +[\d.]+ ms +0$/m)
    expect(stdout).toMatch(/^deaf to SIGTERM +3 +child\.kill\('SIGKILL'\) +- +- +2$/m)
    expect(stdout).toMatch(/ left nothing within 500 ms\.\n$/)
  })

  it.each([
    [['--rounds', '0'], "--rounds must be a whole number from 1 to 5000; got '0'"],
    [['--size', 'many'], "--size must be a whole number from 1 to 5000; got 'many'"],
    [['--fast'], "Unknown option '--fast'"],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await bench(...args)
    expect(code).toBe(125)
    expect(stderr).toContain(`procleash: ${message}`)
    expect(stderr).toContain("Try 'procleash bench --help'.")
  })
})
