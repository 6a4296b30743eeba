// A host with a terminal: its commands have none, and so can neither take it nor be hit by its keys.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { hostProgram } from '../support/program.js'
import { forEachRuntime } from '../support/runtimes.js'
import { CTRL_C, runInTerminal } from '../support/terminal.js'
import { python } from '../support/tools.js'

const trees = fileURLToPath(new URL('../trees/', import.meta.url))
const counter = join(trees, 'count-interrupts.py')

forEachRuntime((runtime) => {
  guardEachTest()

  it('C23: a job-control shell does not stop a host in the background', async () => {
    const report = await runInTerminal(hostProgram(runtime, 'terminal.mjs', 'job-shell'), {
      background: true,
    })
    expect(report).toMatchObject({ stopped: false, timedOut: false, code: 0 })
    expect(report.output).toContain('job-shell: {"code":0,"signal":null}')
  })

  it('C49: one Ctrl-C, passed on, is exactly one SIGINT in the command', async () => {
    const report = await runInTerminal(hostProgram(runtime, 'terminal.mjs', 'forward', python, counter), {
      steps: [{ expect: 'counting', send: CTRL_C }],
    })
    expect(report).toMatchObject({ code: 0, timedOut: false })
    expect(report.output).toContain('interrupts: 1')
  })

  it("C50: a command can't open the terminal, and the line that is typed reaches the host", async () => {
    const report = await runInTerminal(hostProgram(runtime, 'terminal.mjs', 'prompt', python), {
      steps: [{ expect: 'your line:', send: 'hello there\r' }],
    })
    expect(report).toMatchObject({ code: 0, timedOut: false })
    // ENXIO: no controlling terminal.
    expect(report.output).toContain('errno 6')
    expect(report.output).toContain('host got hello there')
  })
})
