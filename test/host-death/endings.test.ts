// Nine ways for a host to end. None of them leaves a command.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { startHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil, within } from '../support/wait.js'

const BY_ITSELF = ['exit', 'empty loop', 'throw', 'rejection', 'abort'] as const
const BY_SIGNAL = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const

forEachRuntime((runtime) => {
  guardEachTest()

  it.each([...BY_ITSELF, ...BY_SIGNAL])('C42: a host that ends by %s', async (ending) => {
    const tree = plantTree('shell-and-child.sh')
    const host = await startHost(runtime)
    // Unread: a read that waits would keep the loop alive.
    const command = await host.plant(tree, { unread: true })
    await host.evaluate(({ commands }, handle) => commands.get(handle)!.command.unref(), command.handle)

    if (ending.startsWith('SIG')) host.kill(ending as NodeJS.Signals)
    else if (ending === 'empty loop') await host.letGo()
    else await host.request('end', { how: ending })
    await within(host.ended, 5000, `the host ends by ${ending}`)

    await waitUntil(
      () => tree.alive().length === 0,
      1000,
      () => `gone: ${tree.alive()}`,
    )
    expect(tree.alive()).toEqual([])
  })
})
