// Of the members of the tree a stop reads as little as it can before the first signal. What it tells must
// not be less for that. Once is enough: no runtime has a part in it.

import { expect, it } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { isGroupGrade } from '../support/grade.js'
import { guardEachTest } from '../support/guard.js'
import { startHost, stopIn700, useHost } from '../support/host.js'
import type { RemoteCommand } from '../support/remote.js'
import { forOneRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { compileTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

const PAIRS = 19
const CROWD = 2 * PAIRS + 1
const FULLY_NAMED = 16
const ZOMBIES = 1000

async function isMade(command: RemoteCommand): Promise<void> {
  await waitUntil(async () => (await command.output()).stdout === 'made\n', 20_000, 'the tree is there')
}

async function sleepers(command: RemoteCommand): Promise<number> {
  return (await command.processes()).filter(({ argv }) => argv[0] === 'sleep').length
}

forOneRuntime((runtime) => {
  guardEachTest()
  const host = useHost(runtime)

  // The second as before Linux 6.13.
  for (const disabled of ['', 'pidfd_info']) {
    const title = `counts ${CROWD} and names them, ${FULLY_NAMED} with all arguments`
    it.skipIf(isGroupGrade)(disabled === '' ? title : `the same without ${disabled}`, async () => {
      const other = await startHost(runtime, { env: { PROCLEASH_DISABLE: disabled } })
      const script = `for i in $(seq ${PAIRS}); do setsid sleep 60.$i & sleep 60.$i & done; wait`
      const command = await other.spawn('bash', ['-c', script])
      await waitUntil(async () => (await sleepers(command)) === CROWD - 1, 20_000, 'the crowd is there')

      const settlement = await stopIn700(command)

      expectEmpty(settlement, 'stop')
      expect(settlement.endedCount).toBe(CROWD)
      const named = settlement.ended.map(({ argv }) => argv.join(' '))
      expect(named).toHaveLength(CROWD)
      expect(named.filter((each) => each.startsWith('sleep 60.'))).toHaveLength(FULLY_NAMED - 1)
      expect(named.filter((each) => each === 'sleep')).toHaveLength(CROWD - FULLY_NAMED)
      expect(settlement.ended.filter(({ escaped }) => escaped === 'session')).toHaveLength(PAIRS)
      expect(settlement.ended.filter(({ escaped }) => escaped === null)).toHaveLength(PAIRS + 1)
      // A child may end before its shell, which then takes the status.
      const signals = new Set(settlement.ended.map(({ signal }) => signal ?? 'SIGTERM'))
      expect([...signals]).toEqual(['SIGTERM'])
    })
  }

  itNeeds(['cc'], 'asks the child of a second thread, in a session of its own', async () => {
    const command = await host().spawn(compileTree('thread-child'), [])
    await isMade(command)

    const settlement = await stopIn700(command)

    expectEmpty(settlement, 'stop')
    expect(settlement.escalated).toBe(false)
    expect((await command.allOutput()).stdout).toBe('made\nobeyed\n')
  })

  itNeeds(['cc'], `${ZOMBIES} zombies take nothing from the time to clean up`, async () => {
    const command = await host().spawn(compileTree('zombies'), [String(ZOMBIES), '400', String(CROWD)])
    await isMade(command)

    const settlement = await stopIn700(command)

    expectEmpty(settlement, 'stop')
    expect(settlement.escalated).toBe(false)
    expect(settlement.endedCount).toBe(ZOMBIES + CROWD + 1)
    expect((await command.allOutput()).stdout).toBe('made\ncleaned\n')
  })
})
