// A process or descriptor limit that is reached is a typed error; when there is room again, it works again.

import { expect } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { startHost } from '../support/host.js'
import { descendantsOf, descriptorsOf, executableOf } from '../support/proc.js'
import type { RemoteError } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds, limitProcess } from '../support/tools.js'

const USER = 61235

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(['root', 'setpriv', 'prlimit'], 'no process is left for a keeper: EAGAIN', async () => {
    const host = await startHost(runtime, { user: USER })
    await (await host.spawn('true')).settled()
    const supervisor = descendantsOf(host.pid).find((stat) => executableOf(stat.pid) === host.helper)!
    const limit = (count: number) => limitProcess(supervisor.pid, [`--nproc=${count}:`], USER)
    limit(1)
    const error: RemoteError = await host.spawn('true').then(
      () => expect.unreachable('it was started'),
      (thrown) => thrown,
    )
    expect([error.className, error.code]).toEqual(['SpawnError', 'EAGAIN'])
    expect(error.fix).toBeTypeOf('string')
    limit(10_000)
    expect(await (await host.spawn('true')).exited()).toEqual({ code: 0, signal: null })
  })

  itNeeds(['prlimit'], 'no descriptor is left for its pipes: EMFILE', async () => {
    const host = await startHost(runtime)
    await (await host.spawn('true')).settled()
    // Deno panics where it has no descriptor left for its signal thread, which starts with the first listener.
    await host.evaluate(() => void process.on('SIGWINCH', () => {}), null)
    const limit = (count: number) => limitProcess(host.pid, [`--nofile=${count}:`])
    // The limit is on numbers: fill the gaps below the highest one that is open.
    await host.evaluate(
      ({ fs, kept }, highest) => {
        const opened = [fs.openSync('/dev/null', 'r')]
        const isFull = () =>
          fs.readdirSync('/proc/self/fd').filter((fd) => Number(fd) <= highest).length > highest
        while (!isFull()) opened.push(fs.openSync('/dev/null', 'r'))
        kept.opened = opened
      },
      Math.max(...descriptorsOf(host.pid).keys()),
    )
    limit(Math.max(...descriptorsOf(host.pid).keys()) + 1)
    const error: RemoteError = await host.spawn('true').then(
      () => expect.unreachable('it was started'),
      (thrown) => thrown,
    )
    expect([error.className, error.code]).toEqual(['SpawnError', 'EMFILE'])
    limit(4096)
    expect(await (await host.spawn('true')).exited()).toEqual({ code: 0, signal: null })
  })
})
