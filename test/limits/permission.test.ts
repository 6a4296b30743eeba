// Members of another user: ended where the keeper has the right to, named where it hasn't. Never an exception.

import { expect } from 'vitest'
import { expectAtOnce, expectEmpty } from '../support/expect.js'
import { turnedOffToo } from '../support/features.js'
import { seenAs } from '../support/grade.js'
import { guardEachTest, remember } from '../support/guard.js'
import { startHost, stopIn700 } from '../support/host.js'
import { argvOf, descendantsOf, endProcess, identify, isAlive, readStat, statusOf } from '../support/proc.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { plantSetuid } from '../support/setuid.js'
import { itNeeds } from '../support/tools.js'
import { plantTree } from '../support/tree.js'
import { NOBODY } from '../support/user.js'
import { waitFor, waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(
    ['root'],
    'C26: a host that drops its rights after the start still ends all: its keepers kept theirs',
    async () => {
      const tree = plantTree('two-users.py')
      const host = await startHost(runtime)
      const command = await host.plant(tree)
      expect(tree.alive().sort()).toEqual(['rootchild', 'rootleader', 'userchild'])
      await host.evaluate(({ process }, id) => {
        process.setgid!(id)
        process.setuid!(id)
      }, NOBODY)
      expect(statusOf(host.pid, 'Uid')).toMatch(/^65534\s+65534/)

      const settlement = await stopIn700(command)

      expect(tree.alive()).toEqual([])
      expectEmpty(settlement, 'stop')
      expectAtOnce(settlement.elapsed)
      expect(isAlive(host)).toBe(true)
    },
  )

  itNeeds(
    ['root', 'setpriv'],
    'C26: what a host without rights may not signal is a named survivor',
    async () => {
      const setuid = plantSetuid()
      const host = await startHost(runtime, { user: NOBODY })
      const asRoot = `"$1" --reuid 0 --regid 0 --clear-groups sleep 60`
      const command = await host.spawn('bash', ['-c', `${asRoot} & sleep 61 & wait`, 'bash', setuid])
      const sleepOf = (uid: number) =>
        descendantsOf(command.pid).find((stat) => stat.comm === 'sleep' && ownerOf(stat.pid) === uid)
      const root = await waitFor(() => sleepOf(0), 5000, 'the child has become root')
      const user = await waitFor(() => sleepOf(NOBODY), 5000, 'the other child runs')
      remember(root)
      try {
        const settlement = await stopIn700(command)

        expect(settlement).toMatchObject({ outcome: 'survivors', reason: 'stop' })
        expect(settlement.survivors).toEqual([
          expect.objectContaining({
            ...seenAs(root),
            reason: 'permission',
            argv: ['sleep', '60'],
          }),
        ])
        expect(settlement.elapsed).toBeLessThanOrEqual(1000)
        expect(isAlive(root)).toBe(true)
        expect(isAlive(user)).toBe(false)
        expect(isAlive(host)).toBe(true)
      } finally {
        endProcess(root)
      }
      await waitUntil(() => !isAlive(root), 2000, 'ended by us, who are root')
    },
  )

  itNeeds(
    ['root', 'setpriv'],
    'what a host may signal is ended below one that it may not, and is no survivor',
    async () => {
      const { command, root, user } = await startBelowRoot(runtime)
      try {
        const settlement = await stopIn700(command)

        expect(isAlive(user)).toBe(false)
        expect(settlement).toMatchObject({ outcome: 'survivors', reason: 'stop', escalated: true })
        expect(settlement.survivors).toEqual([
          expect.objectContaining({ ...seenAs(root), reason: 'permission', argv: ['sleep', '60'] }),
        ])
      } finally {
        endProcess(root)
      }
      await waitUntil(() => !isAlive(root), 2000, 'ended by us, who are root')
    },
  )

  const killed = 'so it is when host and keeper are killed'
  const steps = [
    { title: killed, env: {} },
    { title: `${killed}, and the kernel has no lists of children`, env: turnedOffToo('children') },
  ]
  for (const { title, env } of steps) {
    itNeeds(['root', 'setpriv'], title, async () => {
      const { host, command, root, user } = await startBelowRoot(runtime, env)
      try {
        const keeper = identify(readStat(command.pid)!.ppid)
        // In this order: a living host would search by itself.
        endProcess(host)
        endProcess(keeper)
        await waitUntil(() => !isAlive(user), 5000, "the user's process has ended")
        expect(isAlive(root)).toBe(true)
      } finally {
        endProcess(root)
      }
      await waitUntil(() => !isAlive(root), 2000, 'ended by us, who are root')
    })
  }
})

/** As root, in a session of its own: a process that has started a deaf one as the user again, in another session. */
async function startBelowRoot(runtime: Runtime, env: Readonly<Record<string, string>> = {}) {
  const setuid = plantSetuid()
  const host = await startHost(runtime, { user: NOBODY, env })
  const deaf = 'trap "" TERM; sleep 62 & wait'
  const inner = `setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups setsid sh -c '${deaf}' & exec sleep 60`
  const script = 'setsid "$1" --reuid 0 --regid 0 --clear-groups sh -c "$2" & sleep 61 & wait'
  const command = await host.spawn('bash', ['-c', script, 'bash', setuid, inner])
  const sleepOf = (seconds: string) =>
    descendantsOf(command.pid).find((stat) => argvOf(stat.pid).join(' ') === `sleep ${seconds}`)
  const root = await waitFor(() => sleepOf('60'), 5000, 'the child has become root')
  const user = await waitFor(() => sleepOf('62'), 5000, "the user's process below runs")
  remember(root)
  remember(user)
  expect(ownerOf(user.pid)).toBe(NOBODY)
  return { host, command, root, user }
}

function ownerOf(pid: number): number | undefined {
  try {
    return Number(statusOf(pid, 'Uid').split(/\s+/)[0])
  } catch {
    return undefined
  }
}
