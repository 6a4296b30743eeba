// `procleash init`: the native init as a child of the command line's own runtime.

import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { initFile } from '../support/init.js'
import { runProgram } from '../support/program.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

forEachRuntime((runtime) => {
  guardEachTest()
  const argv = (...args: string[]) => [runtime.command, ...runtime.args, main, 'init', ...args]

  it('--path prints where the native file is', async () => {
    expect(await runProgram(argv('--path'))).toMatchObject({ code: 0, stdout: `${initFile}\n`, stderr: '' })
  })

  it('takes the same options and gives the same status', async () => {
    expect(await runProgram(argv('--', 'sh', '-c', 'exit 9'))).toMatchObject({ code: 9, stderr: '' })
    expect(await runProgram(argv('-e', '9', 'sh', '-c', 'exit 9'))).toMatchObject({ code: 0 })
    expect((await runProgram(argv())).code).toBe(125)
    expect((await runProgram(argv('--help'))).stdout).toMatch(/^Usage: procleash-init /)
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)('%s to it stops everything, in peace', async (signal) => {
    const tree = plantTree('saving-daemon.py', 'obey')
    let pid = 0
    const running = runProgram(argv('--', tree.file, ...tree.args), {
      env: tree.env,
      started: (started) => {
        pid = started
      },
    })
    await tree.ready()
    process.kill(pid, signal)
    expect(await running).toMatchObject(signal === 'SIGTERM' ? { code: 5 } : { signal: 'SIGKILL' })
    // After SIGKILL, too: the output is init's as well, and ends with it.
    expect(tree.has('mark.saved')).toBe(true)
  })
})
