// What is expected of a script, and that the program which carries it out is of the same opinion.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { restedIn } from '../chaos/gone.mjs'
import { shapeOf } from '../chaos/shapes.mjs'
import { suiteFolder } from '../support/suite.js'
import { endOf, standingOf, wordsOf } from './script.mjs'

it('reads blocks and numbers, and carries out what is to be done several times', () => {
  expect(wordsOf('times 2 { fork { exit 3 } } wait 5')).toEqual(
    'fork { exit 3 } fork { exit 3 } wait 5'.split(' '),
  )
  expect(() => wordsOf('fork }')).toThrow('a bracket has to follow fork')
})

it.each([
  { script: '', births: 1, rest: ['stays'], exits: ['SIGTERM'], needsKill: 'no' },
  { script: 'ignore', births: 1, rest: ['stays'], exits: ['SIGKILL'], needsKill: 'yes' },
  { script: 'trap { } exec', births: 1, rest: ['stays'], exits: ['SIGTERM'], needsKill: 'no' },
  { script: 'block exec', births: 1, rest: ['stays'], exits: ['SIGKILL'], needsKill: 'yes' },
  { script: 'trap { exit 4 }', births: 1, rest: ['stays'], exits: [4, 'SIGKILL'], needsKill: 'perhaps' },
  {
    script: 'daemon { suspend exit 1 } exit 2',
    births: 3,
    rest: [{ code: 2, signal: null }, 'suspended'],
    exits: [2],
    needsKill: 'no',
  },
])('$script', ({ script, births, rest, exits, needsKill }) => {
  const standing = standingOf(script)
  const end = endOf(standing.command)
  expect(standing.births).toBe(births)
  expect(standing.members.map((member) => member.rest)).toEqual(rest)
  expect(end.exits.map(({ code, signal }) => code ?? signal)).toEqual(exits)
  expect(end.needsKill).toBe(needsKill)
})

it('is what the program does', async () => {
  const folder = mkdtempSync(join(suiteFolder(), 'script-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // All of them end by themselves.
  const script =
    'write fork { close write exit 0 } times 2 { daemon { wait 5 exec wait 5 exit 0 } } bare write die 10'
  const { file, args, end } = shapeOf({ shape: '', script })
  const child = spawn(file, args, {
    env: { CHAOS_DIR: folder, CHAOS_INDEX: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const [code, signal] = await once(child, 'close')
  expect({ code, signal }).toEqual(end)
  const standing = standingOf(script)
  expect(output).toHaveLength(standing.bytes)
  expect(restedIn(folder, 0)).toBe(standing.members.length)
})
