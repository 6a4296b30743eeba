// `procleash run`: exit statuses of timeout(1), options, the settlement as JSON, output passed through as it is.

import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Exit, Settlement } from '../../src/types.js'
import { SLOW } from '../support/expect.js'
import { isGroupGrade } from '../support/grade.js'
import { guardEachTest } from '../support/guard.js'
import { runProgram } from '../support/program.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { CTRL_C, runInTerminal } from '../support/terminal.js'
import { python } from '../support/tools.js'
import { plantTree } from '../support/tree.js'

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))
const counter = fileURLToPath(new URL('../trees/count-interrupts.py', import.meta.url))

const procleash = (runtime: Runtime, ...args: string[]) => [runtime.command, ...runtime.args, main, ...args]

forEachRuntime((runtime) => {
  guardEachTest()
  const cli = (...args: string[]) => runProgram(procleash(runtime, ...args))

  describe('exit status', () => {
    it.each([0, 1, 42])("is the command's own: %i", async (code) => {
      expect(await cli('run', '--', 'bash', '-c', `exit ${code}`)).toMatchObject({ code, signal: null })
    })

    it('is 124 when it timed out, deaf or not', async () => {
      const polite = await cli('run', '-t', '200ms', '--', 'sleep', '60')
      expect(polite.code).toBe(124)
      const deaf = await cli(
        'run',
        '--timeout',
        '0.2s',
        '--budget',
        '300ms',
        '--',
        'bash',
        '-c',
        'trap "" TERM; sleep 60',
      )
      expect(deaf.code).toBe(124)
      expect(deaf.duration).toBeLessThan(3000)
    })

    it.each([
      ['no command', ['run']],
      ['an unknown option', ['run', '--nonsense', '--', 'true']],
      ['a bad duration', ['run', '--budget', 'soon', '--', 'true']],
      ['a negative duration', ['run', '--timeout=-5', '--', 'true']],
      ['an unknown signal', ['run', '-s', 'SIGNOPE', '--', 'true']],
      ['an unknown subcommand', ['launch', '--', 'true']],
    ])('is 125 with %s, and says why', async (_, args) => {
      const result = await cli(...args)
      expect(result.code).toBe(125)
      expect(result.stderr).toMatch(/^procleash: /)
      expect(result.stdout).toBe('')
    })

    it('is 126 for what is not executable and 127 for what is not there', async () => {
      const denied = await cli('run', '--', '/etc/passwd')
      expect(denied.code).toBe(126)
      expect(denied.stderr).toContain('/etc/passwd')
      const missing = await cli('run', '--', 'no-such-tool')
      expect(missing.code).toBe(127)
      expect(missing.stderr).toContain('no-such-tool')
    })

    it.each([
      ['KILL', 137],
      ['TERM', 143],
      ['SEGV', 139],
    ])('is 128 and the number of the signal that ended it: SIG%s', async (signal, code) => {
      const result = await cli('run', '--', 'bash', '-c', `ulimit -c 0; kill -${signal} $$`)
      expect(result).toMatchObject({ code, signal: null })
    })
  })

  describe('options', () => {
    it('-s begins a stop with another signal', async () => {
      const script = 'trap "echo got-usr1; exit 5" USR1; while :; do sleep 0.02; done'
      const result = await cli('run', '-t', '300ms', '-s', 'SIGUSR1', '--', 'bash', '-c', script)
      expect(result.stdout).toBe('got-usr1\n')
      expect(result.code).toBe(124)
    })

    it('-k and --budget bound a stop', async () => {
      for (const option of ['-k', '--budget']) {
        const script = 'trap "" TERM; sleep 60'
        const result = await cli('run', '-t', '100ms', option, '200ms', '--', 'bash', '-c', script)
        expect(result.code).toBe(124)
        expect(result.duration).toBeLessThan(isGroupGrade ? SLOW : 3000)
      }
    })

    it('--json writes the settlement', async () => {
      const dir = makeFolder('cli-json')
      try {
        const file = join(dir, 'settlement.json')
        const result = await cli('run', '--json', file, '--', 'bash', '-c', 'sleep 60 & echo hi')
        expect(result).toMatchObject({ code: 0, stdout: 'hi\n' })
        const report = JSON.parse(readFileSync(file, 'utf8')) as { exit: Exit; settlement: Settlement }
        expect(report.exit).toEqual({ code: 0, signal: null })
        expect(report.settlement).toMatchObject({
          outcome: 'empty',
          reason: 'exit',
          survivors: [],
          endedCount: 2,
        })
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    })

    it('--help and --version', async () => {
      const main = await cli('--help')
      expect(main).toMatchObject({ code: 0, stderr: '' })
      expect(main.stdout).toMatch(/^ +run /m)
      const help = await cli('run', '--help')
      expect(help).toMatchObject({ code: 0, stderr: '' })
      for (const option of ['--timeout', '--budget', '--signal', '--json'])
        expect(help.stdout).toContain(option)
      const { version } = JSON.parse(
        readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
      ) as {
        version: string
      }
      const result = await cli('--version')
      expect(result).toMatchObject({ code: 0, stderr: '' })
      expect(result.stdout).toContain(version)
    })
  })

  describe('output and input', () => {
    let dir: string
    beforeAll(() => {
      dir = makeFolder('cli-output')
    })
    afterAll(() => rmSync(dir, { recursive: true, force: true }))

    it('are passed through byte for byte', async () => {
      const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex')
      const bytes = randomBytes(2_000_000)
      writeFileSync(join(dir, 'random'), bytes)
      const out = await cli('run', '--', 'cat', join(dir, 'random'))
      expect(sha256(Buffer.from(out.stdout, 'latin1'))).toBe(sha256(bytes))
      const apart = await cli('run', '--', 'bash', '-c', 'echo out; echo err >&2')
      expect(apart).toMatchObject({ stdout: 'out\n', stderr: 'err\n', code: 0 })
      const piped = await runProgram(procleash(runtime, 'run', '--', 'cat'), { input: 'a line\n' })
      expect(piped).toMatchObject({ stdout: 'a line\n', code: 0 })
    })

    it('arguments after -- are the command’s, options among them', async () => {
      const result = await cli('run', '--', 'printf', '%s|', '--timeout', '-k', 'a b', '')
      expect(result.stdout).toBe('--timeout|-k|a b||')
    })
  })

  it('a SIGTERM to it ends the whole tree', async () => {
    const tree = plantTree('deaf-family.sh')
    let pid = 0
    const running = runProgram(procleash(runtime, 'run', '--', tree.file, ...tree.args), {
      env: tree.env,
      started: (started) => {
        pid = started
      },
    })
    await tree.ready()
    process.kill(pid, 'SIGTERM')
    expect(await running).toMatchObject({ code: 143, signal: null })
    expect(tree.alive()).toEqual([])
  })

  describe('in a terminal', () => {
    it('C49: one Ctrl-C is exactly one SIGINT in the command, whose own status is passed on', async () => {
      const report = await runInTerminal(procleash(runtime, 'run', '--', python, counter), {
        steps: [{ expect: 'counting', send: CTRL_C }],
      })
      expect(report).toMatchObject({ code: 0, stopped: false, timedOut: false })
      expect(report.output).toContain('interrupts: 1')
    })

    it('a second Ctrl-C stops the tree at once', async () => {
      const script = 'trap "echo once" INT; trap "" TERM; echo ready; while :; do sleep 0.02; done'
      const report = await runInTerminal(
        procleash(runtime, 'run', '-k', '400ms', '--', 'bash', '-c', script),
        {
          steps: [
            { expect: 'ready', send: CTRL_C },
            { expect: 'once', send: CTRL_C },
          ],
          deadline: 10,
        },
      )
      expect(report.timedOut).toBe(false)
      expect(report.code).toBe(130)
    })
  })
})
