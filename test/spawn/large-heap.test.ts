// The cost of a start doesn't depend on the memory of the host: it isn't the host that forks.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { startHost } from '../support/host.js'
import { residentBytes } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'

const GiB = 2 ** 30

forEachRuntime((runtime) => {
  guardEachTest()

  it('C61: spawn() keeps the event loop for less than 5 ms with 1 GB of touched memory', async () => {
    const host = await startHost(runtime)
    await host.evaluate(({ kept }, bytes) => {
      kept.ballast = new Uint8Array(bytes).fill(1)
    }, GiB)
    expect(residentBytes(host.pid)).toBeGreaterThan(GiB)

    const blocked = await host.evaluate(async ({ procleash }) => {
      const times: number[] = []
      for (let round = 0; round < 30; round += 1) {
        const before = performance.now()
        const started = procleash.spawn('true')
        times.push(performance.now() - before)
        await (await started).settled
      }
      return times.sort((a, b) => a - b)
    }, null)

    expect(blocked[15]).toBeLessThan(5)
  })
})
