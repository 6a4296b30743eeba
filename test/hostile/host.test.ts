// A host that misuses the helper's sockets: that connection ends, its tree is stopped, no descriptor stays with the
// supervisor, and it goes on serving others. The misuses are in host.py.

import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { runProgram } from '../support/program.js'
import { itNeeds, python } from '../support/tools.js'

type Said = Readonly<Record<'lease' | 'request' | 'control', Readonly<Record<string, Readonly<object>>>>>

const program = fileURLToPath(new URL('host.py', import.meta.url))
const helper = fileURLToPath(new URL('../../build/Release/procleash-supervisor', import.meta.url))

guardEachTest()

// What the supervisor has open is root's to see.
itNeeds(
  ['root'],
  'on a lease, in a request, on the control socket',
  async () => {
    const { code, stdout, stderr } = await runProgram([python, program, helper], { deadline: 150_000 })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const said = JSON.parse(stdout) as Said
    for (const place of ['lease', 'request'] as const) {
      expect(Object.keys(said[place]).length).toBeGreaterThan(5)
      for (const [name, came] of Object.entries(said[place])) {
        expect(came, `${place}: ${name}`).toEqual({ closed: true, gone: true, kept: true, serves: true })
      }
    }
    expect(Object.keys(said.control).length).toBeGreaterThan(5)
    for (const [name, came] of Object.entries(said.control)) {
      // What runs is not the connection's, and stays until its own lease ends.
      expect(came, `control: ${name}`).toEqual({ closed: true, lives: true, gone: true, ended: true })
    }
  },
  180_000,
)
