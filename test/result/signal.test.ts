// A death by signal is told as one, and never as success.

import { expect, it } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { useHost } from '../support/host.js'
import { remoteRun } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C34: a command killed by somebody else: no code, the signal, and not "stopped by us"', async () => {
    const result = await remoteRun(host(), 'bash', ['-c', 'echo partial; kill -9 $$'])
    expect(result).toMatchObject({ code: null, signal: 'SIGKILL', reason: 'exit', stdout: 'partial\n' })
    expectEmpty(result.settlement, 'exit')
    expect(result.settlement!.escalated).toBe(false)
  })

  it('C34: a shell whose child was killed reports 137 itself', async () => {
    const result = await remoteRun(host(), 'bash', [
      '-c',
      'echo partial; sleep 60 & kill -9 $!; wait $!; exit $?',
    ])
    expect(result).toMatchObject({ code: 137, signal: null, reason: 'exit', stdout: 'partial\n' })
  })

  it('C34: stopped by us is told apart', async () => {
    const result = await remoteRun(host(), 'bash', ['-c', 'echo partial; trap "" TERM; sleep 60'], {
      timeout: 200,
      budget: 200,
    })
    expect(result).toMatchObject({ code: null, signal: 'SIGKILL', reason: 'timeout', stdout: 'partial\n' })
    expectEmpty(result.settlement, 'timeout')
  })

  it.each([0, 1, 2, 77, 126, 127, 128, 137, 255])('exit status %i is passed on', async (code) => {
    const result = await remoteRun(host(), 'bash', ['-c', `exit ${code}`])
    expect(result).toMatchObject({ code, signal: null, reason: 'exit' })
  })

  it.each(['SIGHUP', 'SIGINT', 'SIGABRT', 'SIGSEGV', 'SIGPIPE', 'SIGTERM', 'SIGUSR1'] as const)(
    'death by %s is passed on',
    async (signal) => {
      const result = await remoteRun(host(), 'bash', ['-c', `ulimit -c 0; kill -${signal.slice(3)} $$`])
      expect(result).toMatchObject({ code: null, signal, reason: 'exit' })
    },
  )
})
