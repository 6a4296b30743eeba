// Commands that follow each other quickly find a keeper ready, which was forked ahead: it is nobody's danger, stays no
// longer than it is of use, and the next command does not depend on it.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { helpersOf, keeperOf } from '../support/helpers.js'
import { type Host, startHost } from '../support/host.js'
import { endProcess, isAlive, type ProcessStat } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { waitFor, waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  guardEachTest()

  it('takes the next command, and goes where none comes', async () => {
    const host = await startHost(runtime)
    const idle = await waitForIdle(host)
    const command = await host.spawn('sleep', ['60'])
    // Unless the machine took so long that it had gone: then there was nothing to take.
    if (isAlive(idle)) expect(keeperOf(command.pid).pid).toBe(idle.pid)
    await waitUntil(() => helpersOf(host).idle.length === 0, 10_000, 'no keeper waits any more')
    expect(helpersOf(host).keepers.map(({ pid }) => pid)).toEqual([keeperOf(command.pid).pid])
    expect(await command.stop()).toMatchObject({ outcome: 'empty' })
  })

  it('killed: the next command starts all the same', async () => {
    const host = await startHost(runtime)
    for (let round = 0; round < 5; round += 1) {
      const idle = await waitForIdle(host)
      endProcess(idle)
      const command = await host.spawn('sh', ['-c', 'exit 3'])
      expect(await command.exited()).toEqual({ code: 3, signal: null })
      await command.settled()
    }
  })

  it.for(['host', 'supervisor'] as const)('the %s killed: it ends', async (who) => {
    const host = await startHost(runtime)
    const idle = await waitForIdle(host)
    const { supervisor } = helpersOf(host)
    process.kill(who === 'host' ? host.pid : supervisor.pid, 'SIGKILL')
    await waitUntil(() => !isAlive(idle), 5000, 'the idle keeper ends')
    if (who === 'host') return
    const next = await host.spawn('sh', ['-c', 'exit 5'])
    expect(await next.exited()).toEqual({ code: 5, signal: null })
  })
})

/** One command after the other until a keeper waits for the next. */
async function waitForIdle(host: Host): Promise<ProcessStat> {
  for (;;) {
    await (await host.spawn('true')).settled()
    await (await host.spawn('true')).settled()
    const idle = await waitFor(() => helpersOf(host).idle.at(0), 500, 'a keeper waits').catch(() => undefined)
    if (idle !== undefined) return idle
  }
}
