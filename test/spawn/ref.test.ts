// A command keeps its host's event loop alive, unless it is told not to; then its end comes with the host's.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { isAlive } from '../support/proc.js'
import type { RemoteCommand } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { waitUntil, within } from '../support/wait.js'

forEachRuntime((runtime) => {
  guardEachTest()

  const setRef = (host: Host, command: RemoteCommand, how: 'ref' | 'unref') =>
    host.evaluate(({ commands }, { handle, name }) => commands.get(handle)!.command[name](), {
      handle: command.handle,
      name: how,
    })

  it.each(['by default', 'after unref and ref'])('it keeps the host alive %s', async (when) => {
    const host = await startHost(runtime)
    const command = await host.spawn('sleep', ['0.7'], { unread: true })
    const started = performance.now()
    if (when !== 'by default') {
      await setRef(host, command, 'unref')
      await setRef(host, command, 'ref')
    }
    await host.letGo()
    expect(await within(host.ended, 5000, 'the host ends')).toEqual({ code: 0, signal: null })
    // It waited for the command, which wasn't cut short.
    expect(performance.now() - started).toBeGreaterThanOrEqual(650)
  })

  it('it does not after unref', async () => {
    const host = await startHost(runtime)
    const command = await host.spawn('sleep', ['60'], { unread: true })
    const leader = command.id()
    await setRef(host, command, 'unref')
    await host.letGo()
    expect(await within(host.ended, 2000, 'the host ends')).toEqual({ code: 0, signal: null })
    await waitUntil(() => !isAlive(leader), 1000, 'and the command with it')
  })
})
