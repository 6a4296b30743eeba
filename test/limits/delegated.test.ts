// Work that another process does on request is nobody's descendant here: it is left alone, and nothing is claimed of it.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { expectAtOnce, expectEmpty } from '../support/expect.js'
import { remember } from '../support/guard.js'
import { stopIn700, useHost } from '../support/host.js'
import { endProcess, identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C56: the client is gone at once, the server that does its work untouched', async () => {
    const service = plantTree('delegate-server.py')
    const started = spawn(service.file, service.args, {
      env: { ...process.env, ...service.env },
      stdio: 'ignore',
    })
    const server = identify(started.pid!)
    remember(server)
    await waitUntil(() => service.has('listening'), 5000, 'the server listens')

    const tree = plantTree('delegate-client.py', join(service.dir, 'socket'))
    const command = await host().plant(tree)
    const work = identify(Number(service.read('pid.work')))
    remember(work)
    try {
      const settlement = await stopIn700(command)

      expect(tree.alive()).toEqual([])
      expectEmpty(settlement, 'stop')
      expectAtOnce(settlement.elapsed)
      expect([isAlive(server), isAlive(work)]).toEqual([true, true])
      expect(settlement.ended.map((entry) => entry.pid)).not.toContain(work.pid)
    } finally {
      endProcess(work)
      endProcess(server)
    }
  })
})
