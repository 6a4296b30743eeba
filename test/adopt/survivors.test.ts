// What can't be ended is named, and its later end is noticed.

import { expect } from 'vitest'
import { adoptChild, startChild } from '../support/adopt.js'
import { expectBounded } from '../support/foreign.js'
import { guardEachTest, remember } from '../support/guard.js'
import { startHost } from '../support/host.js'
import { descendantsOf, endProcess, isAlive, statusOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantSetuid } from '../support/setuid.js'
import { itNeeds } from '../support/tools.js'
import { waitFor, waitUntil } from '../support/wait.js'

const NOBODY = 65534

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(['root', 'setpriv'], 'C26: what the host may not signal is named: permission', async () => {
    const setuid = plantSetuid()
    const host = await startHost(runtime, { user: NOBODY })
    const script = '"$1" --reuid 0 --regid 0 --clear-groups sleep 60 & wait'
    const pid = await startChild(host, 'child_process', ['bash', '-c', script, 'bash', setuid])
    const isRoot = (id: number) => statusOf(id, 'Uid').split(/\s+/)[0] === '0'
    const root = await waitFor(
      () => descendantsOf(pid).find((stat) => stat.comm === 'sleep' && isRoot(stat.pid)),
      10_000,
      'the child has become root',
    )
    remember(root)
    try {
      const command = await adoptChild(host, { owner: 'survivors' })
      const settlement = await command.stop({ budget: 700 })

      expect(settlement).toMatchObject({
        outcome: 'survivors',
        reason: 'stop',
        proof: 'none',
        survivors: [{ pid: root.pid, startTime: root.startTime, reason: 'permission' }],
      })
      expectBounded(settlement)
      expect(isAlive(root)).toBe(true)
      expect(await command.exited()).toEqual({ code: null, signal: 'SIGTERM' })
      const states = () =>
        host.evaluate(async ({ kept }) => {
          const owner = kept.survivors as import('../../src/index.js').Owner
          return (await owner.list()).map(({ state }) => state)
        }, null)
      expect(await states()).toEqual(['survivors'])
      endProcess(root)
      await waitUntil(async () => (await states()).length === 0, 10_000, 'its end is noticed')
    } finally {
      endProcess(root)
    }
  })
})
