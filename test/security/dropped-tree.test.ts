// A tree with fewer rights than its keeper is stopped like any other, whoever dies.

import { describe, expect } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost, stopIn700 } from '../support/host.js'
import { descendantsOf, endProcess, identify, isAlive, readStat, statusOf } from '../support/proc.js'
import { chosenRuntimes, forEachRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { waitUntil } from '../support/wait.js'

const NOBODY = 65_534
const rights = { uid: NOBODY, gid: NOBODY, capabilities: { keep: [] }, noNewPrivileges: true } as const

/** Deaf to SIGTERM, as is its child in a session of its own. */
const script = 'trap "" TERM; setsid sleep 61 & exec sleep 60'

async function plantDeaf(host: Host) {
  const command = await host.spawn('bash', ['-c', script], rights)
  const members = () =>
    [readStat(command.pid), ...descendantsOf(command.pid)].filter((stat) => stat !== undefined)
  await waitUntil(() => members().filter(({ comm }) => comm === 'sleep').length === 2, 10_000, 'both run')
  const ids = members().map(({ pid }) => identify(pid))
  for (const { pid } of ids) expect(statusOf(pid, 'Uid')).toMatch(/^65534\s+65534/)
  return { command, ids, left: () => ids.filter(isAlive) }
}

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(['root'], 'a stop leaves nothing, though it is deaf', async () => {
    const host = await startHost(runtime)
    const { command, left } = await plantDeaf(host)
    const settlement = await stopIn700(command)
    expectEmpty(settlement, 'stop')
    expect(settlement.escalated).toBe(true)
    expect(left()).toEqual([])
  })
})

// What follows is native code's alone: one runtime tells as much as five.
const [runtime] = chosenRuntimes()

describe(runtime?.name ?? 'no runtime', () => {
  if (runtime === undefined || runtime.missing !== undefined) return
  guardEachTest()

  itNeeds(['root'], 'the death of the host leaves nothing', async () => {
    const host = await startHost(runtime)
    const { left } = await plantDeaf(host)
    host.kill('SIGKILL')
    await waitUntil(() => left().length === 0, 10_000, 'the tree is gone')
  })

  itNeeds(['root'], 'nor that of keeper and supervisor', async () => {
    const host = await startHost(runtime)
    const { command, left } = await plantDeaf(host)
    const keeper = identify(readStat(command.pid)?.ppid ?? 0)
    const supervisor = identify(readStat(keeper.pid)?.ppid ?? 0)
    for (const id of [supervisor, keeper]) endProcess(id)
    expect(await command.settled()).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost' })
    expect(left()).toEqual([])
  })

  // The change of user has cleared the parent-death signal, and nobody else is left to end it.
  itNeeds(
    ['root'],
    'the command itself ends with its keeper when host and supervisor are dead, too',
    async () => {
      const host = await startHost(runtime)
      const command = await host.spawn('sleep', ['60'], rights)
      await waitUntil(() => readStat(command.pid)?.comm === 'sleep', 10_000, 'the command runs')
      const sleeper = identify(command.pid)
      const keeper = identify(readStat(command.pid)?.ppid ?? 0)
      const supervisor = identify(readStat(keeper.pid)?.ppid ?? 0)
      // Frozen, they can't act on each other's death.
      for (const { pid } of [keeper, supervisor]) process.kill(pid, 'SIGSTOP')
      host.kill('SIGKILL')
      for (const id of [supervisor, keeper]) endProcess(id)
      await waitUntil(() => !isAlive(sleeper), 10_000, 'the command is gone')
    },
  )
})
