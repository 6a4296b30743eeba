// A stop at any moment: after the leader's end, twice, during another stop, after everything.

import { expect, it } from 'vitest'
import { expectAtOnce, expectEmpty, expectWholeBudget } from '../support/expect.js'
import { stopIn700, useHost } from '../support/host.js'
import { isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { PATIENCE } from '../support/sanitizer.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C06: still ends what a leader left that exited long ago', async () => {
    const tree = plantTree('early-leader.sh')
    const command = await host().plant(tree, { leftovers: 'keep' })
    expect(await command.exited()).toEqual({ code: 0, signal: null })
    expect(tree.alive()).toEqual(['left'])

    const settlement = await stopIn700(command)

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expectAtOnce(settlement.elapsed)
    expect(await command.exited()).toEqual({ code: 0, signal: null })
  })

  it('C06: by default ends it unasked, and a later stop gives the same settlement', async () => {
    const tree = plantTree('early-leader.sh')
    const command = await host().plant(tree)
    const settlement = await command.settled()
    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'exit')
    expectAtOnce(settlement.elapsed)

    expect(await stopIn700(command)).toEqual(settlement)
    expect(await command.exited()).toEqual({ code: 0, signal: null })
  })

  it('joins a running stop: one settlement for all who ask', async () => {
    const tree = plantTree('deaf-shell.sh')
    const command = await host().plant(tree)

    const [first, second, third] = await Promise.all([
      stopIn700(command),
      stopIn700(command),
      command.stop({ budget: 60_000 }),
    ])

    expect(tree.alive()).toEqual([])
    expectEmpty(first, 'stop')
    expectWholeBudget(first.elapsed)
    expect([second, third]).toEqual([first, first])
    expect(await stopIn700(command)).toEqual(first)
    expect(await command.settled()).toEqual(first)
  })

  it('shortens a running stop by a shorter budget', async () => {
    const tree = plantTree('deaf-shell.sh')
    const command = await host().plant(tree)

    const [long, short] = await Promise.all([command.stop({ budget: 30_000 }), command.stop({ budget: 300 })])

    expect(tree.alive()).toEqual([])
    expectEmpty(long, 'stop')
    expect(long.elapsed).toBeLessThan(800)
    expect(short).toEqual(long)
  })

  it('kills at once with a budget of 0', async () => {
    const tree = plantTree('deaf-shell.sh')
    const command = await host().plant(tree)

    const settlement = await command.stop({ budget: 0 })

    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'stop')
    expect(settlement.escalated).toBe(true)
    expectAtOnce(settlement.elapsed)
  })

  it('stops a command that ends by itself just then', async () => {
    for (let round = 0; round < 10; round += 1) {
      const command = await host().spawn('bash', ['-c', `sleep 0.0${round}; exit 3`])
      const settlement = await command.stop()
      expect(settlement.outcome).toBe('empty')
      expect(['stop', 'exit']).toContain(settlement.reason)
      const exit = await command.exited()
      expect([
        { code: 3, signal: null },
        { code: null, signal: 'SIGTERM' },
      ]).toContainEqual(exit)
    }
  })

  it('begins with the signal that was asked for', async () => {
    const command = await host().spawn(
      'bash',
      ['-c', 'trap "echo got-int; exit 7" INT; echo ready; while :; do sleep 0.02; done'],
      { stopSignal: 'SIGINT' },
    )
    await waitUntil(async () => (await command.output()).stdout === 'ready\n', 5000, 'the trap is set')

    const settlement = await stopIn700(command)

    expectEmpty(settlement, 'stop')
    expect(settlement.escalated).toBe(false)
    expect(await command.exited()).toEqual({ code: 7, signal: null })
    expect((await command.allOutput()).stdout).toBe('ready\ngot-int\n')
  })

  it('stops on abort, with that as its reason', async () => {
    const tree = plantTree('shell-and-child.sh')
    const command = await host().plant(tree, { abortable: true })
    await command.abort('enough')
    const settlement = await command.settled()
    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'abort')
    expectAtOnce(settlement.elapsed)
  })

  it('stops at its timeout, with that as its reason', async () => {
    const tree = plantTree('deaf-shell.sh')
    const asked = Date.now()
    const command = await host().plant(tree, { timeout: 300, budget: 300 })
    const settlement = await command.settled()
    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'timeout')
    expect(settlement.escalated).toBe(true)
    const { spawned, settled = 0 } = await command.times()
    // The timeout runs in the keeper from the start; the host may hear of that late.
    expect(settled - asked).toBeGreaterThanOrEqual(500)
    expect(settled - spawned).toBeLessThan(1200 * PATIENCE)
  })

  it('sends a single signal to the group when asked to, and nothing once it has settled', async () => {
    const tree = plantTree('shell-and-child.sh')
    const command = await host().plant(tree)
    expect(await command.kill('SIGKILL')).toBe(true)
    const settlement = await command.settled()
    expect(tree.alive()).toEqual([])
    expectEmpty(settlement, 'exit')
    expect(await command.exited()).toEqual({ code: null, signal: 'SIGKILL' })
    expect(await command.kill('SIGKILL')).toBe(false)
    expect(isAlive(host())).toBe(true)
  })
})
