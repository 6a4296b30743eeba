// The lease does the work: procleash needs nobody to call it when the host ends.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'

type Listeners = Readonly<Record<string, number>>

async function listenersAt(host: Host, stage: string): Promise<Listeners> {
  const { listeners } = await host.event(stage)
  host.say('go on')
  return listeners as Listeners
}

forEachRuntime((runtime) => {
  guardEachTest()

  it('importing installs no handler, using at most one for each kind of event, and none is left after', async () => {
    const host = await startHost(runtime, { program: 'handlers.mjs' })
    const before = await listenersAt(host, 'before')
    const imported = await listenersAt(host, 'imported')
    const using = await listenersAt(host, 'using')
    const after = await listenersAt(host, 'after')

    expect(imported).toEqual(before)
    for (const [event, count] of Object.entries(using)) {
      expect(count, event).toBeLessThanOrEqual((before[event] ?? 0) + 1)
    }
    expect(after).toEqual(before)
    expect((await host.ended).code).toBe(0)
  })
})
