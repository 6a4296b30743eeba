// Processes that leave the command's group, and how they are found all the same.

import { expect, it } from 'vitest'
import { expectAtOnce, expectEmpty } from '../support/expect.js'
import { seenAs } from '../support/grade.js'
import { stopIn700, useHost } from '../support/host.js'
import { argvOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C09: ends a child in a session of its own', async () => {
    const tree = plantTree('own-session.sh')
    const command = await host().plant(tree)
    const session = tree.process('session')
    expect(await command.processes()).toContainEqual(
      expect.objectContaining({
        ...seenAs(session),
        sid: session.pid,
        escaped: 'session',
        argv: ['sleep', '60'],
      }),
    )

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expectAtOnce(settlement.elapsed)
    expect(settlement.ended).toContainEqual(
      expect.objectContaining({ pid: session.pid, escaped: 'session', argv: ['sleep', '60'] }),
    )
  })

  it('C10: ends a daemon that forked twice', async () => {
    const tree = plantTree('double-fork-daemon.py')
    const command = await host().plant(tree)
    const daemon = tree.process('daemon')
    expect(await command.processes()).toContainEqual(
      expect.objectContaining({ ...seenAs(daemon), escaped: 'daemon' }),
    )

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expectAtOnce(settlement.elapsed)
    expect(settlement.ended).toContainEqual(
      expect.objectContaining({ pid: daemon.pid, escaped: 'daemon', signal: 'SIGTERM' }),
    )
  })

  it('C11: ends a daemon that has no mark left: no environment, another name, another folder', async () => {
    const tree = plantTree('double-fork-daemon.py', 'unmarked')
    const command = await host().plant(tree)
    const daemon = tree.process('daemon')
    await waitUntil(() => argvOf(daemon.pid)[0] === 'kworker-u8', 2000, 'the daemon has another name')
    expect(tree.alive().sort()).toEqual(['daemon', 'leader'])

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expectAtOnce(settlement.elapsed)
    expect(settlement.ended).toContainEqual(
      expect.objectContaining({ pid: daemon.pid, escaped: 'daemon', argv: ['kworker-u8', '60'] }),
    )
  })
})
