// Trees that are different by the time they have been looked at: what two pictures can agree on, and what they can't.

import { expect, it } from 'vitest'
import { isTurnedOff } from '../support/features.js'
import {
  ample,
  expectBounded,
  expectKilled,
  expectObeyed,
  expectUnseen,
  stopForeign,
} from '../support/foreign.js'
import { endLeftProcesses } from '../support/guard.js'
import { useHost } from '../support/host.js'
import { naiveSpawn } from '../support/naive.js'
import { isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { staysTheSame } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C14: ends a fork storm inside one group at once', async () => {
    const tree = plantTree('fork-storm.py')
    const pid = await naiveSpawn(host(), tree, { detached: true })
    const lines = () => Array.from({ length: 24 }, (_, line) => tree.read(`line.${line}`)).join(' ')
    expect(await staysTheSame(lines, 2000)).toBe(false)

    const settlement = await stopForeign(host(), pid, ample)

    expect(await staysTheSame(lines, 150)).toBe(true)
    expect(tree.alive()).toEqual([])
    expectObeyed(settlement)
  })

  it('C14: kills a fork storm that is deaf to SIGTERM', async () => {
    const tree = plantTree('fork-storm.py', 'deaf')
    const pid = await naiveSpawn(host(), tree, { detached: true })
    const lines = () => Array.from({ length: 24 }, (_, line) => tree.read(`line.${line}`)).join(' ')
    expect(await staysTheSame(lines, 2000)).toBe(false)

    const settlement = await stopForeign(host(), pid)

    expect(await staysTheSame(lines, 150)).toBe(true)
    expectKilled(settlement)
  })

  const withoutNames = isTurnedOff('pidfd') || isTurnedOff('pidfd_group')
  const needs = withoutNames ? ' (needs the group flag of pidfd_send_signal, Linux 6.9)' : ''
  const title = `C13: ends a lineage in the group of a leader that has obeyed and is gone${needs}`
  it.skipIf(withoutNames)(title, async () => {
    const tree = plantTree('hopper.py', 'in-group')
    const pid = await naiveSpawn(host(), tree, { detached: true })
    expect(await staysTheSame(() => tree.read('pid.hopper'), 2000)).toBe(false)

    const settlement = await stopForeign(host(), pid)

    expect(await staysTheSame(() => tree.read('pid.hopper'), 200)).toBe(true)
    expectUnseen(settlement)
    expectBounded(settlement)
  })

  it('limit: C13: a lineage that is a new process in a new session every 5 ms is not seen', async () => {
    const tree = plantTree('hopper.py')
    const pid = await naiveSpawn(host(), tree, { detached: true })

    const settlement = await stopForeign(host(), pid)

    expectUnseen(settlement)
    expect(tree.alive()).not.toContain('leader')
    expect(await staysTheSame(() => tree.read('pid.hopper'), 2000)).toBe(false)
    // It ends by itself when its folder is gone.
    tree.remove()
    await endLeftProcesses()
  })

  it('G1: of everything at once, what can be seen is gone, and the host lives', async () => {
    const tree = plantTree('menagerie.py')
    const pid = await naiveSpawn(host(), tree, { detached: true })

    const settlement = await stopForeign(host(), pid)

    expectKilled(settlement)
    expect(tree.alive()).toEqual(['daemon'])
    expect(isAlive(host())).toBe(true)
    tree.remove()
    await endLeftProcesses()
  })
})
