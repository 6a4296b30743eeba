// A host that lives but can't act: its event loop is blocked, or it is suspended.

import { expect, it } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { guardEachTest } from '../support/guard.js'
import { startHost, useHost } from '../support/host.js'
import { isAlive } from '../support/proc.js'
import { remoteRun } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { PATIENCE } from '../support/sanitizer.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

const BLOCKED = 2500

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it.each(['busy', 'atomics', 'execSync'])(
    'C43: a time limit holds while the event loop is blocked (%s)',
    async (how) => {
      const tree = plantTree('deaf-shell.sh')
      const command = await host().plant(tree, { timeout: 400, budget: 300 })
      const blocked = host().request('block', { ms: BLOCKED, how })
      let over = false
      void blocked.finally(() => {
        over = true
      })
      const shell = command.id()

      await waitUntil(
        () => tree.alive().length === 0,
        1800,
        () => `gone: ${tree.alive()}`,
      )

      expect(over).toBe(false)
      expect(isAlive(shell)).toBe(false)
      await blocked
      const settlement = await command.settled()
      expectEmpty(settlement, 'timeout')
      // Told late, but told what was: the time is the keeper's.
      expect(settlement.elapsed).toBeLessThan(1000 * PATIENCE)
    },
  )
})

forEachRuntime((runtime) => {
  guardEachTest()

  it('C62: a host that was suspended for 3 s finds its command well', async () => {
    const host = await startHost(runtime)
    const script = 'for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.5; done; exit 5'
    const running = remoteRun(host, 'bash', ['-c', script], {}, 15_000)
    const started = performance.now()
    await waitUntil(() => performance.now() - started > 500, 1000, 'half a second')
    host.kill('SIGSTOP')
    try {
      await waitUntil(() => performance.now() - started > 3500, 4000, 'three seconds more')
    } finally {
      host.kill('SIGCONT')
    }

    const result = await running
    expect(result).toMatchObject({ code: 5, signal: null, reason: 'exit' })
    expect(result.stdout.trim().split('\n')).toHaveLength(8)
    expectEmpty(result.settlement, 'exit')
  })
})
