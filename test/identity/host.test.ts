// The host isn't hit by its own tools: neither by a command's signals nor by a stop.

import { expect, it } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { stopIn700, useHost } from '../support/host.js'
import { isAlive, readStat } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C48: `kill 0` ends the command only', async () => {
    const command = await host().spawn('bash', ['-c', 'sleep 60 & kill 0; sleep 60'])
    expect(await command.exited()).toEqual({ code: null, signal: 'SIGTERM' })
    expectEmpty(await command.settled(), 'exit')
    expect(isAlive(host())).toBe(true)
  })

  it('C48: `kill $PPID` finds the keeper, not the host, and the tree ends', async () => {
    const script = 'kill -INT $PPID; kill -HUP $PPID; kill -TERM $PPID; sleep 60'
    const command = await host().spawn('bash', ['-c', script])
    expect(readStat(command.pid)?.ppid).not.toBe(host().pid)
    // A keeper that is told to end takes its tree along; that may be before this stop.
    expect(await stopIn700(command)).toMatchObject({ outcome: 'empty', proof: 'subreaper', survivors: [] })
    expect(isAlive(host())).toBe(true)
  })

  it('C48: a command leads a group and a session of its own', async () => {
    const command = await host().spawn('sleep', ['60'])
    expect(readStat(command.pid)).toMatchObject({ pgid: command.pid, sid: command.pid })
    await stopIn700(command)
    expect(isAlive(host())).toBe(true)
  })

  it('C48: stops a tree whose members lead groups of their own, and only that', async () => {
    const bystander = await host().spawn('sleep', ['60'])
    // With job control every background job leads a group.
    const command = await host().spawn('bash', ['-c', 'set -m; sleep 61 & sleep 62 & echo ready; wait'])
    await waitUntil(async () => (await command.output()).stdout === 'ready\n', 5000, 'the jobs run')
    const groups = new Set((await command.processes()).map((entry) => entry.pgid))
    expect(groups.size).toBe(3)

    expectEmpty(await stopIn700(command), 'stop')

    expect(isAlive(host())).toBe(true)
    expect(isAlive(bystander.id())).toBe(true)
    await stopIn700(bystander)
  })
})
