// stopTree on what the runtime's own child_process started: who obeys has time to, who doesn't is killed in the budget,
// whether the tree has a group of its own or shares the host's.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { canListen } from '../support/expect.js'
import {
  ample,
  childEnd,
  expectBounded,
  expectKilled,
  expectObeyed,
  expectUnseen,
  placements,
  stopForeign,
} from '../support/foreign.js'
import { endLeftProcesses, leftProcesses } from '../support/guard.js'
import { type Host, useHost } from '../support/host.js'
import { naiveGroupStop, naiveSpawn } from '../support/naive.js'
import { argvOf, descriptorsOf, isAlive, stateOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  describe.each(placements)('$place', ({ detached }) => {
    it('C01: ends the child of a shell with the shell, and leaves the status to the runtime', async () => {
      const tree = plantTree('shell-and-child.sh')
      const pid = await naiveSpawn(host(), tree, { detached })
      const child = tree.process('child').pid
      await waitUntil(
        () => argvOf(child)[0] === 'sleep',
        10_000,
        'the child is no copy of the shell any more',
      )

      const settlement = await stopForeign(host(), pid, ample)

      expect(tree.alive()).toEqual([])
      expectObeyed(settlement)
      expect(settlement.endedCount).toBe(2)
      const unknown = { escaped: null, code: null, signal: null }
      expect(settlement.ended).toEqual([
        // Deno gives its children the whole path of the program as their name.
        { pid, argv: [expect.stringMatching(/bash$/), ...tree.args], ...unknown },
        { pid: child, argv: ['sleep', '60'], ...unknown },
      ])
      expect(await childEnd(host())).toEqual({ code: null, signal: 'SIGTERM' })
      expect(isAlive(host())).toBe(true)
    })

    it('C02: ends the server behind a runner that is blocked, and frees its port', async () => {
      const tree = plantTree('runner-shim.mjs')
      const pid = await naiveSpawn(host(), tree, { detached })

      const settlement = await stopForeign(host(), pid, ample)

      expect(tree.alive()).toEqual([])
      expect(await canListen(Number(tree.read('port')))).toBe(true)
      expectObeyed(settlement)
    })

    it('C04: goes on to SIGKILL for a child although the leader obeyed', async () => {
      const tree = plantTree('obedient-leader.sh')
      const pid = await naiveSpawn(host(), tree, { detached })

      const settlement = await stopForeign(host(), pid)

      expect(tree.alive()).toEqual([])
      expectKilled(settlement)
      expect(await childEnd(host())).toEqual({ code: 0, signal: null })
    })

    it('C05: kills a tree that ignores SIGTERM, neither before its grace nor much after it', async () => {
      const tree = plantTree('deaf-shell.sh')
      const pid = await naiveSpawn(host(), tree, { detached })

      const settlement = await stopForeign(host(), pid)

      expect(tree.alive()).toEqual([])
      expectKilled(settlement)
      expect(await childEnd(host())).toEqual({ code: null, signal: 'SIGKILL' })
    })

    it('C08: lets a slow tree finish, with exactly one SIGTERM for each process', async () => {
      const tree = plantTree('slow-but-graceful.py')
      const pid = await naiveSpawn(host(), tree, { detached })

      const settlement = await stopForeign(host(), pid, ample)

      expect(tree.alive()).toEqual([])
      expectObeyed(settlement)
      expect(settlement.elapsed).toBeGreaterThanOrEqual(380)
      expect([tree.has('mark.child'), tree.has('mark.leader')]).toEqual([true, true])
      expect([tree.read('terms.child'), tree.read('terms.leader')]).toEqual(['TERM', 'TERM'])
    })

    it('C22: wakes a stopped process, so that its cleanup handler runs', async () => {
      const tree = plantTree('suspended-server.sh')
      const pid = await naiveSpawn(host(), tree, { detached })
      await waitUntil(() => stateOf(tree.process('server')) === 'T', 10_000, 'the server is stopped')

      const settlement = await stopForeign(host(), pid, ample)

      expect(tree.alive()).toEqual([])
      expect(tree.has('mark.cleaned')).toBe(true)
      expectObeyed(settlement)
    })

    it('G2: a deaf tree of 100, half of it in sessions of their own, is empty in time', async () => {
      const tree = plantTree('crowd.py', '100')
      const pid = await naiveSpawn(host(), tree, { detached })

      const settlement = await stopForeign(host(), pid, { budget: 500 })

      expectKilled(settlement, 500)
      expect(settlement.endedCount).toBe(100)
      expect(settlement.ended).toHaveLength(64)
      expect(leftProcesses()).toEqual([])
    })
  })

  it('C16: leaves a helper that was started because of SIGTERM its part of the budget', async () => {
    // Seen only if some picture shows it while its parent lives.
    const tree = plantTree('helper-on-term.sh', 'linger')
    const pid = await naiveSpawn(host(), tree, { detached: true })

    const settlement = await stopForeign(host(), pid, { budget: 2000 })

    const helper = Number(tree.read('helper'))
    expect(leftProcesses().filter((stat) => stat.pid === helper)).toEqual([])
    expect(tree.has('mark.helper-did-its-work')).toBe(true)
    expectUnseen(settlement)
    expectBounded(settlement, 2000)
  })

  itNeeds(
    ['pid-namespace'],
    'C19: kills PID 1 of a namespace, which drops SIGTERM, and all in it',
    async () => {
      const tree = plantTree('pid-namespace.sh')
      const pid = await naiveSpawn(host(), tree)

      const settlement = await stopForeign(host(), pid)

      expect(tree.alive()).toEqual([])
      expectKilled(settlement)
    },
  )

  it('a budget of 0 kills at once; another first signal is sent as it is named', async () => {
    const deaf = plantTree('deaf-family.sh')
    const killed = await stopForeign(host(), await naiveSpawn(host(), deaf), { budget: 0 })
    expect(deaf.alive()).toEqual([])
    expectKilled(killed, 0)

    const tree = plantTree('shell-and-child.sh')
    const pid = await naiveSpawn(host(), tree)
    expectObeyed(await stopForeign(host(), pid, { ...ample, signal: 'SIGHUP' }))
    expect(await childEnd(host())).toEqual({ code: null, signal: 'SIGHUP' })
  })

  it('G3: the budget holds while the event loop is blocked', async () => {
    const tree = plantTree('deaf-family.sh')
    const pid = await naiveSpawn(host(), tree, { detached: true })
    const release = join(tree.dir, 'release')
    const stopping = stopAndBlock(host(), pid, release)

    const gone = await waitUntil(() => tree.alive().length === 0, 10_000, 'the tree is gone')
    // Only now the host's event loop goes on.
    writeFileSync(release, '')

    expect(gone).toBeGreaterThan(200)
    const { settlement, blocked } = await stopping
    expect(blocked).toBeLessThan(20_000)
    expectKilled(settlement, 400)
  })

  it('many stops at once, and two of the same tree, all settle', async () => {
    const trees = Array.from({ length: 6 }, () => plantTree('shell-and-child.sh'))
    const pids: number[] = []
    for (const tree of trees) pids.push(await naiveSpawn(host(), tree))

    const settlements = await host().evaluate(
      ({ procleash }, all) =>
        Promise.all([...all, all[0]!].map((pid) => procleash.stopTree(pid, { budget: 15_000 }))),
      pids,
    )

    for (const settlement of settlements) expectUnseen(settlement)
    expect(trees.flatMap((tree) => tree.alive())).toEqual([])
  })

  it('G9: leaves no descriptor behind, and does no harm when a worker ends in the middle', async () => {
    const stopOne = async () => {
      const tree = plantTree('own-session.sh')
      expectUnseen(await stopForeign(host(), await naiveSpawn(host(), tree, { detached: true })))
    }
    await stopOne()
    const before = descriptorsOf(host().pid).size
    for (let round = 0; round < 5; round += 1) await stopOne()
    expect(descriptorsOf(host().pid).size).toBeLessThanOrEqual(before)

    const tree = plantTree('deaf-family.sh')
    const pid = await naiveSpawn(host(), tree)
    const index = new URL('../../dist/src/index.js', import.meta.url).href
    await host().evaluate(
      async ({ workerThreads }, { url, target }) => {
        const source = `import(${JSON.stringify(url)}).then(({ stopTree }) => {
          stopTree(${target}, { budget: 5000 })
          require('node:worker_threads').parentPort.postMessage('stopping')
        })`
        const worker = new workerThreads.Worker(source, { eval: true })
        await new Promise((resolve) => worker.once('message', resolve))
        await worker.terminate()
      },
      { url: index, target: pid },
    )
    expectUnseen(await stopForeign(host(), pid, { budget: 200 }))
    expect(tree.alive()).toEqual([])
  })

  it('control: a stop by the group alone leaves the session of its own', async () => {
    const tree = plantTree('own-session.sh')
    await naiveSpawn(host(), tree, { detached: true })
    await naiveGroupStop(host(), 100)
    expect(tree.alive()).toEqual(['session'])
    await endLeftProcesses()
  })
})

/** Calls stopTree and blocks the loop in the same turn, until a file is there or for 20 s. */
function stopAndBlock(host: Host, pid: number, release: string) {
  return host.evaluate(
    async ({ procleash, fs }, request) => {
      const stopping = procleash.stopTree(request.pid, { budget: 400 })
      const began = performance.now()
      while (!fs.existsSync(request.release) && performance.now() - began < 20_000);
      const blocked = performance.now() - began
      return { settlement: await stopping, blocked }
    },
    { pid, release },
    30_000,
  )
}

describe.each(['pidfd', 'pidfd_group', 'children'])('on a kernel without %s', (feature) => {
  forEachRuntime((runtime) => {
    const host = useHost(runtime, { env: { PROCLEASH_DISABLE: feature } })

    it('stops the deaf, those in sessions of their own, and orphans', async () => {
      for (const program of ['deaf-family.sh', 'orphans.sh']) {
        const tree = plantTree(program)
        const pid = await naiveSpawn(host(), tree, { detached: true })

        const settlement = await stopForeign(host(), pid, { budget: 400 })

        expect(tree.alive()).toEqual([])
        expectUnseen(settlement)
        expectBounded(settlement, 400)
      }
    })
  })
})
