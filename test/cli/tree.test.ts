// `procleash tree`: the drawing, plain and on a terminal, JSON, and watching until the end.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { drawTree } from '../../src/cli/draw-tree.js'
import type { ProcessInfo } from '../../src/types.js'
import { guardEachTest, remember } from '../support/guard.js'
import { argvOf, childrenOf, endProcess, identify, type ProcessId } from '../support/proc.js'
import { runProgram } from '../support/program.js'
import { forEachRuntime } from '../support/runtimes.js'
import { CTRL_C, runInTerminal } from '../support/terminal.js'
import { plantTree, type Tree } from '../support/tree.js'

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

const ESC = '\u001b'

function entry(pid: number, ppid: number, more: Partial<ProcessInfo> = {}): ProcessInfo {
  const ids = { pid, ppid, pgid: 1000, sid: 1000, startTime: pid }
  const load = { cpuTime: 0, memory: 2 ** 20, threads: 1, state: 'S' } as const
  return { ...ids, ...load, argv: ['p', `${pid}`], escaped: null, ...more }
}

const family = [
  entry(1000, 1, { cpuTime: 61_500, memory: 3.5 * 2 ** 30, threads: 12 }),
  entry(1001, 1000, { cpuTime: 1500 }),
  entry(1002, 1001, { state: 'Z', argv: [], memory: 0 }),
  entry(1003, 1000, { pgid: 1003, sid: 1003, escaped: 'session' }),
  entry(1004, 1003, { pgid: 1003, sid: 1003, argv: ['sh', '-c', 'a\tb\u001b[31m\n'] }),
  entry(1005, 1, { pgid: 1003, sid: 1003, escaped: 'daemon' }),
]

it('draws lines, numbers for people, and how each has escaped', () => {
  expect(drawTree(family, { look: 'plain', width: Infinity })).toEqual([
    ' PID  PGID   SID  S    CPU   MEM  THR  COMMAND',
    '1000  1000  1000  S  1m01s  3.5G   12  p 1000',
    '1001  1000  1000  S   1.5s  1.0M    1  |- p 1001',
    '1002  1000  1000  Z    0ms    0B    1  |  `- (zombie)',
    '1003  1003  1003  S    0ms  1.0M    1  `- p 1003 (own session)',
    '1004  1003  1003  S    0ms  1.0M    1     |- sh -c a?b?[31m?',
    // Tied to the tree by the session that 1003 leads.
    '1005  1003  1003  S    0ms  1.0M    1     `- p 1005 (daemon)',
  ])
})

it('cuts commands to the width of a terminal, colours never counted', () => {
  const drawn = drawTree(family, { look: 'terminal', width: 60 })
  expect(drawn[2]).toContain('├─ ')
  expect(drawn.join()).toContain(`${ESC}[33m (own session)${ESC}[0m`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  for (const line of drawn) expect(line.replaceAll(/\u001b\[\d+m/g, '').length).toBeLessThanOrEqual(60)
})

forEachRuntime((runtime) => {
  guardEachTest()
  const argv = (...args: string[]) => [runtime.command, ...runtime.args, main, 'tree', ...args]
  const cli = (...args: string[]) => runProgram(argv(...args))

  it('draws a real tree in ASCII where there is no terminal', async () => {
    const { tree, id } = await startTree('own-session.sh')
    const result = await cli(`${id.pid}`)
    expect(result).toMatchObject({ code: 0, stderr: '' })
    const [heads, root, ...others] = result.stdout.trimEnd().split('\n')
    expect(heads).toContain('PID')
    expect(root).toContain(`${id.pid}`)
    expect(others.join('\n')).toMatch(
      new RegExp(`${tree.process('session').pid}.*\`- sleep 60 \\(own session\\)`),
    )
    expect(result.stdout).not.toContain(ESC)
    end(tree)
  })

  it('--json gives what inspectTree gives', async () => {
    const { tree, id } = await startTree('own-session.sh')
    const result = await cli('--json', `${id.pid}`)
    const processes = JSON.parse(result.stdout) as ProcessInfo[]
    expect(processes[0]).toMatchObject({ ...id, argv: [tree.file, ...tree.args] })
    expect(processes).toContainEqual(
      expect.objectContaining({ ...tree.process('session'), escaped: 'session' }),
    )
    end(tree)
  })

  it('--watch draws what has changed and ends with the tree', async () => {
    const child = spawn('bash', ['-c', 'sleep 60; sleep 61; true'], { stdio: 'ignore' })
    remember(identify(child.pid!))
    const drawn = await runProgram(argv('--watch', `${child.pid}`), {
      // Each is ended once it was seen.
      output: (text) => {
        const seen = childrenOf(child.pid!).filter(({ pid }) => text.includes(`- ${argvOf(pid).join(' ')}\n`))
        for (const id of seen) endProcess(id)
      },
    })
    expect(drawn).toMatchObject({ code: 0, stderr: '' })
    const drawings = drawn.stdout.split('\n\n')
    expect(drawings.length).toBeGreaterThanOrEqual(2)
    expect(drawings[0]).toMatch(/`- sleep 60$/m)
  })

  it('--watch --json gives one line for each look', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' })
    remember(identify(child.pid!))
    const { stdout } = await runProgram(argv('--watch', '--json', `${child.pid}`), {
      output: (lines) => lines.includes('\n') && child.kill(),
    })
    const looks = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ProcessInfo[])
    expect(looks.length).toBeGreaterThanOrEqual(1)
    for (const look of looks) expect(look[0]?.pid).toBe(child.pid)
  })

  it('on a terminal: lines and colours; Ctrl-C ends --watch with 130 and leaves the tree alone', async () => {
    const { tree, id } = await startTree('own-session.sh')
    const report = await runInTerminal(argv('--watch', `${id.pid}`), {
      steps: [{ expect: 'sleep 60', send: CTRL_C }],
      env: { NO_COLOR: '', TERM: 'xterm' },
    })
    expect(report).toMatchObject({ code: 130, timedOut: false })
    expect(report.output).toContain('└─ ')
    expect(report.output).toContain(`${ESC}[`)
    expect(tree.alive().sort()).toEqual(['session', 'shell'])
    end(tree)
  })

  it.each([
    ['no PID', []],
    ['no number', ['init']],
    ['an unknown option', ['--nonsense', '4']],
    ['no such process', ['4194300']],
    ['no such process to watch', ['--watch', '4194300']],
  ])('is 125 with %s, and says why', async (_, args) => {
    const result = await cli(...args)
    expect(result).toMatchObject({ code: 125, stdout: '' })
    expect(result.stderr).toMatch(/^procleash: /)
  })

  it('a reader that goes away is no error', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' })
    const id = identify(child.pid!)
    const command = argv('--watch', '--json', `${id.pid}`)
    const result = await runProgram(['bash', '-c', '"$@" | head -1 | wc -l; true', 'bash', ...command])
    expect(result).toMatchObject({ code: 0, stdout: '1\n', stderr: '' })
    endProcess(id)
  })
})

async function startTree(program: string): Promise<{ readonly tree: Tree; readonly id: ProcessId }> {
  const tree = plantTree(program)
  const child = spawn(tree.file, tree.args, { env: { ...process.env, ...tree.env }, stdio: 'ignore' })
  const id = identify(child.pid!)
  remember(id)
  await tree.ready()
  return { tree, id }
}

function end(tree: Tree): void {
  for (const role of tree.alive()) endProcess(tree.process(role))
}
