// A command that forks as fast as it may, held by a limit of processes alone: rounds of SIGKILL only make room for its
// next ones. It is ended all the same, by everyone whose business that may become.

import { expect } from 'vitest'
import { makeControlled } from '../support/controller.js'
import { expectEmpty } from '../support/expect.js'
import { guardEachTest } from '../support/guard.js'
import { helpersOf, keeperOf } from '../support/helpers.js'
import { type Host, startHost } from '../support/host.js'
import { outcomeOf, type RemoteCommand } from '../support/remote.js'
import { forOneRuntime } from '../support/runtimes.js'
import { itNeeds, limitProcess } from '../support/tools.js'
import { plantTree } from '../support/tree.js'
import { countTasks, ownUser } from '../support/user.js'

const ROOM = 40

/** It stands at the limit, where nothing else can be started. */
async function plantBomb(host: Host, limit: () => void): Promise<RemoteCommand> {
  await (await host.spawn('true')).settled()
  limit()
  const command = await host.plant(plantTree('fork-bomb.py'))
  expect(await outcomeOf(host.spawn('true'))).toBe('SpawnError EAGAIN')
  return command
}

async function expectStopped(host: Host, command: RemoteCommand): Promise<void> {
  const settlement = await command.stop({ budget: 700 })
  expectEmpty(settlement, 'stop')
  expect(settlement.escalated).toBe(true)
  expect(settlement.endedCount).toBeGreaterThan(ROOM / 4)
  expect(await (await host.spawn('true')).exited()).toEqual({ code: 0, signal: null })
}

forOneRuntime((runtime) => {
  guardEachTest()
  /** The limit holds for the supervisor and what it starts; a runtime must have its threads. */
  const plantLimited = async (): Promise<{ host: Host; command: RemoteCommand }> => {
    const user = ownUser()
    const host = await startHost(runtime, { user })
    const command = await plantBomb(host, () => {
      limitProcess(helpersOf(host).supervisor.pid, [`--nproc=${countTasks(host.pid) + ROOM}:`], user)
    })
    return { host, command }
  }

  itNeeds(['root', 'setpriv', 'prlimit'], 'below RLIMIT_NPROC', async () => {
    const { host, command } = await plantLimited()
    await expectStopped(host, command)
  })

  itNeeds(['root', 'setpriv', 'prlimit'], 'its keeper killed: by the supervisor', async () => {
    const { command } = await plantLimited()
    process.kill(keeperOf(command.pid).pid, 'SIGKILL')
    expect(await command.settled()).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost' })
  })

  itNeeds(['root', 'setpriv', 'prlimit'], 'keeper and supervisor killed: by the host', async () => {
    const { host, command } = await plantLimited()
    const { supervisor } = helpersOf(host)
    for (const { pid } of [keeperOf(command.pid), supervisor]) process.kill(pid, 'SIGKILL')
    expect(await command.settled()).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost' })
  })

  itNeeds(['root', 'setpriv', 'prlimit'], 'the host killed: by the keeper', async () => {
    const { host } = await plantLimited()
    host.kill('SIGKILL')
    await host.ended
    // That nothing is left is what the guard looks at.
  })

  itNeeds(['root', 'setpriv', 'prlimit'], 'started by child_process: by stopTree', async () => {
    const user = ownUser()
    const host = await startHost(runtime, { user })
    const tree = plantTree('fork-bomb.py')
    const limit = countTasks(host.pid) + ROOM
    const pid = await host.evaluate(
      ({ childProcess, process }, { file, args, env }) =>
        childProcess.spawn(file, args, { env: { ...process.env, ...env }, detached: true, stdio: 'ignore' })
          .pid!,
      { file: 'prlimit', args: [`--nproc=${limit}`, tree.file, ...tree.args], env: tree.env },
    )
    await tree.ready()
    const settlement = await host.evaluate(
      ({ procleash }, target) => procleash.stopTree(target, { budget: 700 }),
      pid,
    )
    expect(settlement).toMatchObject({ outcome: 'empty', survivors: [] })
  })

  itNeeds(['pids-cgroup'], 'in a cgroup with a limit of pids, the host in it', async () => {
    const cgroup = makeControlled('pids')
    const host = await startHost(runtime, { via: cgroup.via })
    await expectStopped(host, await plantBomb(host, () => cgroup.limit(cgroup.used() + ROOM)))
  })

  itNeeds(['small-pid-max'], 'with every number of its PID namespace', async () => {
    // From 300 on numbers are given again: a few dozen of them for the host and all it starts.
    const lower = 'echo 380 >/proc/sys/kernel/pid_max && echo 299 >/proc/sys/kernel/ns_last_pid && exec "$@"'
    const namespace = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']
    const host = await startHost(runtime, { via: [...namespace, 'sh', '-c', lower, 'sh'] })
    await expectStopped(host, await plantBomb(host, () => {}))
  })
})
