// A start that fails is a typed error, starts nothing, and there is nothing that a later stop could hit.

import { expect, it } from 'vitest'
import { useHost } from '../support/host.js'
import { childrenOf, isAlive } from '../support/proc.js'
import { type RemoteError, remoteRun } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)
  const failing = (file: string, args: string[] = [], cwd?: string) =>
    host()
      .spawn(file, args, { cwd })
      .then(
        () => {
          throw new Error(`${file} was started`)
        },
        (error: RemoteError) => error,
      )

  it('C36: rejects where there is no such command, no right, no folder, or too much of it', async () => {
    const errors = await Promise.all([
      failing('/no/such/tool'),
      failing('no-such-tool-in-path'),
      failing('/etc/passwd'),
      failing('true', [], '/no/such/folder'),
      failing('true', ['x'.repeat(3_000_000)]),
    ])
    expect(errors.map((error) => error.code)).toEqual(['ENOENT', 'ENOENT', 'EACCES', 'ENOENT', 'E2BIG'])
    expect(errors.map((error) => error.className)).toEqual(Array(5).fill('SpawnError'))
  })

  it('but passes on as much as the system allows: 10,000 arguments, 1 MB in all', async () => {
    const args = Array.from({ length: 10_000 }, () => 'x'.repeat(100))
    const result = await remoteRun(host(), 'bash', ['-c', 'echo $#', 'bash', ...args])
    expect(result).toMatchObject({ code: 0, stdout: '10000\n' })
  })

  it('C36: no signal goes anywhere: the group and the children of the host are untouched', async () => {
    // In the host's own group, where a signal to pid 0, and to group 0, would land.
    const bystander = await host().evaluate(({ childProcess, kept }) => {
      const child = childProcess.spawn('sleep', ['60'], { stdio: 'ignore' })
      kept.bystander = child
      return child.pid!
    }, null)
    const before = childrenOf(host().pid).find((stat) => stat.pid === bystander)!

    await host().evaluate(async ({ procleash }) => {
      for (const file of ['/no/such/tool', '/etc/passwd', '']) {
        // What a caller's cleanup does: stop whatever the spawn gave, if anything.
        const command = await procleash.spawn(file).catch(() => undefined)
        await command?.stop()
      }
    }, null)

    expect(isAlive(before)).toBe(true)
    await host().evaluate(
      ({ kept }) =>
        new Promise<void>((resolve) => {
          const child = kept.bystander as import('node:child_process').ChildProcess
          child.once('exit', () => resolve())
          child.kill('SIGKILL')
        }),
      null,
    )
    expect(isAlive(host())).toBe(true)
  })
})
