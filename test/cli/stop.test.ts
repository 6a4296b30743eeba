// `procleash stop`: exit statuses, options, and what it leaves.

import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Settlement } from '../../src/types.js'
import { expectKilled } from '../support/foreign.js'
import { guardEachTest, remember } from '../support/guard.js'
import { endProcess, identify, isAlive } from '../support/proc.js'
import { runProgram } from '../support/program.js'
import { forEachRuntime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { asUser, itNeeds } from '../support/tools.js'
import { plantTree, type Tree } from '../support/tree.js'

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

forEachRuntime((runtime) => {
  guardEachTest()
  const argv = (...args: string[]) => [runtime.command, ...runtime.args, main, 'stop', ...args]
  const cli = (...args: string[]) => runProgram(argv(...args))

  it('is 0 when nothing is left, and says nothing', async () => {
    const { tree, pid } = await startTree('own-session.sh')
    expect(await cli(`${pid}`)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(tree.alive()).toEqual([])
  })

  it('-k bounds it, -s begins it, --json writes { pid, settlement }', async () => {
    const dir = makeFolder('cli-stop')
    const file = join(dir, 'report.json')
    try {
      const deaf = await startTree('deaf-family.sh')
      const killed = await cli('-k', '300ms', '--json', file, `${deaf.pid}`)
      expect(killed).toMatchObject({ code: 0 })
      expect(deaf.tree.alive()).toEqual([])
      const report = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; settlement: Settlement }
      expect(report.pid).toBe(deaf.pid)
      expectKilled(report.settlement, 300)

      const polite = await startTree('slow-but-graceful.py')
      expect(await cli('--signal', 'int', '--budget', '15s', `${polite.pid}`)).toMatchObject({ code: 0 })
      expect(polite.tree.read('terms.leader')).toBe('')
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })

  it('stops what a script without job control started in the background', async () => {
    const script = `sleep 60 & "$@" $!; echo "stop: $?"; kill -0 $! 2>/dev/null || echo gone`
    const result = await runProgram(['bash', '-c', script, 'bash', ...argv()])
    expect(result).toMatchObject({ code: 0, stdout: 'stop: 0\ngone\n' })
  })

  itNeeds(['root', 'setpriv'], 'is 1 when something is left, and names it', async () => {
    const { tree, pid } = await startTree('shell-and-child.sh')
    const file = join(makeFolder('cli-stop'), 'report.json')
    const result = await runProgram([...asUser(65534), ...argv('-k', '100ms', '--json', file, `${pid}`)], {
      env: { HOME: '/tmp', DENO_DIR: '/tmp/procleash-test-deno-nobody' },
    })
    expect(result.code).toBe(1)
    const { child } = { child: tree.process('child').pid }
    expect(result.stderr).toContain(`procleash: still running: pid ${child} (sleep 60), state S: permission`)
    expect(result.stderr.trim().split('\n')).toHaveLength(2)
    expect(tree.alive().sort()).toEqual(['child', 'shell'])
    for (const role of tree.alive()) endProcess(tree.process(role))
  })

  it.each([
    ['no PID', [], 'a PID is missing'],
    ['two PIDs', ['4', '5'], 'only one PID'],
    ['no number', ['init'], "got 'init'"],
    ['a bad duration', ['-k', 'soon', '4'], '--budget must be a duration'],
    ['an unknown signal', ['-s', 'NOPE', '4'], '--signal must be'],
    ['an unknown option', ['--nonsense', '4'], "Unknown option '--nonsense'"],
    ['no such process', ['4194300'], 'There is no process 4194300'],
    ['PID 1', ['1'], '1 is not the number of a process that may be stopped'],
    ['one that it descends from', [`${process.pid}`], 'one that this process descends from'],
  ])('is 125 with %s, and says why', async (_, args, message) => {
    const result = await cli(...args)
    expect(result).toMatchObject({ code: 125, stdout: '' })
    expect(result.stderr).toMatch(/^procleash: /)
    expect(result.stderr).toContain(message)
  })

  it('--help shows its options', async () => {
    const help = await cli('--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const word of ['--budget', '--signal', '--json', 'PID']) expect(help.stdout).toContain(word)
  })
})

/** Started by this process, so that its end is reaped. */
async function startTree(program: string): Promise<{ readonly tree: Tree; readonly pid: number }> {
  const tree = plantTree(program)
  const child = spawn(tree.file, tree.args, { env: { ...process.env, ...tree.env }, stdio: 'ignore' })
  const id = identify(child.pid!)
  remember(id)
  await tree.ready()
  expect(isAlive(id)).toBe(true)
  return { tree, pid: id.pid }
}
