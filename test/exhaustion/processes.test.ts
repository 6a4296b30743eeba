// No process is left to start anything with: an error by name, for whoever lacks it, and nothing is left of the try.

import { expect } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { helpersOf } from '../support/helpers.js'
import { startHost } from '../support/host.js'
import { isAlive, listedChildren } from '../support/proc.js'
import { outcomeOf } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds, limitProcess } from '../support/tools.js'
import { countTasks, ownUser } from '../support/user.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(['root', 'setpriv', 'prlimit'], 'none for the keeper, or for its command: EAGAIN', async () => {
    const user = ownUser()
    const host = await startHost(runtime, { user })
    await (await host.spawn('true')).settled()
    const { supervisor } = helpersOf(host)
    const outcomes: string[] = []
    for (const room of [0, 1, 4]) {
      limitProcess(supervisor.pid, [`--nproc=${countTasks(host.pid) + room}:`], user)
      outcomes.push(await outcomeOf(host.spawn('true')))
      await waitUntil(() => listedChildren(supervisor.pid).length === 0, 5000, 'the keeper has ended')
    }
    // With one more there is a keeper that finds none for its command. Threads of the runtime come and go.
    expect(outcomes[0]).toBe('SpawnError EAGAIN')
    expect(outcomes.at(-1)).toBe('started')
    expect(new Set(outcomes)).toEqual(new Set(['SpawnError EAGAIN', 'started']))
    expect(isAlive(supervisor)).toBe(true)
  })

  // Bun and Deno themselves end where they want a thread and get none.
  if (!runtime.name.startsWith('node')) return
  itNeeds(['root', 'setpriv', 'prlimit'], 'none for the supervisor: EAGAIN', async () => {
    const user = ownUser()
    const host = await startHost(runtime, { user })
    limitProcess(host.pid, ['--nproc=1:'], user)
    expect(await outcomeOf(host.spawn('true'))).toBe('SpawnError EAGAIN')
    limitProcess(host.pid, ['--nproc=10000:'], user)
    expect(await (await host.spawn('true')).exited()).toEqual({ code: 0, signal: null })
  })
})
