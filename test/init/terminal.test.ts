// A terminal's foreground goes to the main program: its keys, and the right to read.

import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { asPid1, asSubreaper, describeMode, type InitMode, initFile } from '../support/init.js'
import { CTRL_C, runInTerminal } from '../support/terminal.js'
import { python } from '../support/tools.js'

const counter = fileURLToPath(new URL('../trees/count-interrupts.py', import.meta.url))

/** Run as the terminal's own user: another one could not open it by its name. */
const subreaper: InitMode = {
  ...asSubreaper,
  name: 'subreaper',
  needs: [],
  wrap: (argv) => [argv[0]!, '-s', ...argv.slice(1)],
}

guardEachTest()

for (const mode of [asPid1, subreaper]) {
  const init = (...command: string[]) => mode.wrap([initFile, '--', ...command])

  describeMode(mode, mode.name, () => {
    it('the main program leads a group of its own, in the foreground', async () => {
      const script = `import os; print('foreground', os.getpgrp() == os.getpid() == os.tcgetpgrp(0))`
      const report = await runInTerminal(init(python, '-c', script))
      expect(report).toMatchObject({ code: 0, stopped: false, timedOut: false })
      expect(report.output).toContain('foreground True')
    })

    it('it can read what is typed', async () => {
      const report = await runInTerminal(
        init('sh', '-c', 'echo ask; read line </dev/tty; echo "got $line"'),
        {
          steps: [{ expect: 'ask', send: 'word\n' }, { expect: 'got word' }],
        },
      )
      expect(report).toMatchObject({ code: 0, stopped: false, timedOut: false })
    })

    it('one Ctrl-C is exactly one SIGINT', async () => {
      const report = await runInTerminal(init(python, counter), {
        steps: [{ expect: 'counting', send: CTRL_C }],
      })
      expect(report).toMatchObject({ code: 0, stopped: false, timedOut: false })
      expect(report.output).toContain('interrupts: 1')
    })
  })
}

it('the terminal goes back to whoever had it', async () => {
  const script = `${initFile} -s -- true; read line; echo "got $line"`
  const report = await runInTerminal(['sh', '-c', `echo ask; ${script}`], {
    steps: [{ expect: 'ask', send: 'word\n' }, { expect: 'got word' }],
  })
  expect(report).toMatchObject({ code: 0, stopped: false, timedOut: false })
})

it('in the background it takes no terminal away', async () => {
  const script = `import os; print('foreground', os.tcgetpgrp(0) == os.getpgrp())`
  const report = await runInTerminal([initFile, '-s', '--', python, '-c', script], { background: true })
  expect(report).toMatchObject({ code: 0, stopped: false, timedOut: false })
  expect(report.output).toContain('foreground False')
})
