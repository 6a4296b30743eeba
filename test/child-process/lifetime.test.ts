// A child's life is the host's at most: detached, unref'ed or not.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { startHost } from '../support/host.js'
import { identify, isAlive, type ProcessId } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { waitUntil, within } from '../support/wait.js'

const program = 'child-process/lifetime.mjs'

async function isGone(id: ProcessId): Promise<void> {
  await waitUntil(() => !isAlive(id), 10_000, 'the child is gone')
}

forEachRuntime((runtime) => {
  guardEachTest()

  it('it keeps the host alive, and ends with one that is killed', async () => {
    const host = await startHost(runtime, { program, args: ['hold'] })
    const child = identify(Number((await host.event('started')).pid))
    await expect(within(host.ended, 300, 'the host ends')).rejects.toThrow('still not')
    host.kill('SIGKILL')
    await host.ended
    await isGone(child)
  })

  it('after unref() the host may end, and the child ends with it', async () => {
    const host = await startHost(runtime, { program, args: ['unref'] })
    await host.event('started')
    // What it leaves would be named by the guard.
    expect(await within(host.ended, 15_000, 'the host ends')).toEqual({ code: 0, signal: null })
  })
})
