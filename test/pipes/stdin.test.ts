// Standard input: closed by default, written and ended when asked for.

import { expect, it } from 'vitest'
import { expectAtOnce, expectEmpty, expectNotHeldUp } from '../support/expect.js'
import { useHost } from '../support/host.js'
import { remoteRun } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { waitUntil } from '../support/wait.js'

const readAll = 'n=$(cat | wc -c); echo "read $n bytes"'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C33: is /dev/null unless asked for: who reads it to the end is done at once', async () => {
    const result = await remoteRun(host(), 'bash', ['-c', readAll])
    expect(result).toMatchObject({ code: 0, signal: null, stdout: 'read 0 bytes\n' })
    expectNotHeldUp(result.duration)
  })

  it('takes input and ends', async () => {
    const result = await remoteRun(host(), 'cat', [], { input: 'one\ntwo\n' })
    expect(result).toMatchObject({ code: 0, stdout: 'one\ntwo\n' })
  })

  it('takes more input than a pipe holds', async () => {
    const input = 'x'.repeat(3_000_000)
    const result = await remoteRun(host(), 'bash', ['-c', readAll], { input })
    expect(result).toMatchObject({ code: 0, stdout: 'read 3000000 bytes\n' })
  })

  it('input that nobody reads is no error and holds nothing up', async () => {
    const result = await remoteRun(host(), 'true', [], { input: 'x'.repeat(3_000_000) })
    expect(result).toMatchObject({ code: 0, signal: null })
    expectEmpty(result.settlement, 'exit')
    expectAtOnce(result.settlement!.elapsed)
  })

  it('is a stream when piped, and its end reaches the command', async () => {
    const command = await host().spawn('cat', [], { stdin: 'pipe' })
    await command.write('hello\n')
    await waitUntil(async () => (await command.output()).stdout === 'hello\n', 5000, 'the line comes back')
    await command.closeInput()
    expect(await command.exited()).toEqual({ code: 0, signal: null })
    expectEmpty(await command.settled(), 'exit')
  })
})
