// What a command starts with: a clean signal state and three descriptors, whatever its host had.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { startHost } from '../support/host.js'
import { descriptorsOf, readStat, statusOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds, python } from '../support/tools.js'
import { waitUntil } from '../support/wait.js'

/** Execs what follows with SIGTERM blocked, HUP, INT, QUIT and PIPE ignored. */
const hostileSignals = `
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
for name in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE): signal.signal(name, signal.SIG_IGN)
os.execvp(sys.argv[1], sys.argv[1:])
`

forEachRuntime((runtime) => {
  guardEachTest()

  it('C24: a command has no blocked and no ignored signal, though its host has', async () => {
    const host = await startHost(runtime, { via: [python, '-c', hostileSignals] })
    const command = await host.spawn('sleep', ['60'])
    await waitUntil(() => readStat(command.pid)?.comm === 'sleep', 5000, 'the command runs')

    expect(BigInt(`0x${statusOf(command.pid, 'SigBlk')}`)).toBe(0n)
    expect(BigInt(`0x${statusOf(command.pid, 'SigIgn')}`)).toBe(0n)

    // It obeys at once, which a blocked SIGTERM would prevent.
    const settlement = await command.stop({ budget: 700 })
    expect(settlement).toMatchObject({ outcome: 'empty', escalated: false })
    expect(await command.exited()).toEqual({ code: null, signal: 'SIGTERM' })
  })

  it('C46: a command has descriptors 0, 1, 2 and no other, though its host was given more', async () => {
    // Descriptor 9 as a lock that somebody handed to the host, without close-on-exec.
    const host = await startHost(runtime, {
      via: ['bash', '-c', 'exec 9>lock; flock 9; exec "$@"', 'bash'],
    })
    expect(descriptorsOf(host.pid).get(9)).toContain('lock')
    const command = await host.spawn('sleep', ['60'], { stdin: 'pipe' })
    // The loader opens and closes the C library first; what the command was given stays.
    const onlyStandard = (pid: number) => [...descriptorsOf(pid).keys()].sort().join() === '0,1,2'
    const runsWithStandard = (pid: number) => readStat(pid)?.comm === 'sleep' && onlyStandard(pid)
    const numbers = (pid: number) => () => `only 0, 1, 2, not ${[...descriptorsOf(pid)].join(' ')}`
    await waitUntil(() => runsWithStandard(command.pid), 5000, numbers(command.pid))

    const quiet = await host.spawn('sleep', ['60'], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
    const nowhere = [0, 1, 2].map((fd) => `${fd},/dev/null`).join(' ')
    const leadNowhere = (pid: number) => [...descriptorsOf(pid)].join(' ') === nowhere
    await waitUntil(() => leadNowhere(quiet.pid), 5000, numbers(quiet.pid))

    await Promise.all([command.stop(), quiet.stop()])
  })

  // What a helper holds is root's to see.
  itNeeds(
    ['root'],
    'C46: nobody below the host keeps what the host holds: neither its lock nor its input',
    async () => {
      const host = await startHost(runtime, {
        via: ['bash', '-c', 'exec 9>lock; flock 9; exec "$@"', 'bash'],
      })
      const command = await host.spawn('sleep', ['60'])
      const helpers = [command.pid]
      for (let pid = readStat(command.pid)?.ppid; pid !== undefined && pid > 1 && pid !== host.pid; ) {
        helpers.push(pid)
        pid = readStat(pid)?.ppid
      }
      // The command, its keeper, and the supervisor.
      expect(helpers.length).toBeGreaterThanOrEqual(2)
      for (const pid of helpers) {
        expect([...descriptorsOf(pid).values()].filter((target) => target.endsWith('/lock'))).toEqual([])
      }
      await command.stop()
    },
  )
})
