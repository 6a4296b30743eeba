// What shows that a child is an orphan, and what is left alone without it.

import { expect, it } from 'vitest'
import { type Host, startHost, useHost } from '../support/host.js'
import { childrenOf, statusOf, zombieChildrenOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { counts, disable, enable, orphans, runShell, untilReaped } from '../support/subreaper.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('is seen below another process: listed while it lives, reaped at its end', async () => {
    // The second one has no lists of children and no pidfds.
    const plain = await startHost(runtime, { env: { PROCLEASH_DISABLE: 'pidfd,children' } })
    const check = async (host: Host): Promise<void> => {
      await enable(host)
      expect(await runShell(host, 'sleep 3 & sleep 1.5; exit 3')).toBe(3)
      await waitUntil(async () => (await orphans(host)).length === 1, 10_000, 'the orphan is known')
      const [orphan] = await orphans(host)
      expect(orphan).toMatchObject({ ppid: host.pid, argv: ['sleep', '3'], owner: null })
      expect(await untilReaped(host, 1)).toEqual({ reaped: 1, unclaimed: 0, zombies: 0, living: 0 })
      expect(await disable(host)).toMatchObject({ reaped: 1 })
    }
    await Promise.all([check(host()), check(plain)])
    await plain.close()
  })

  it('is in a session that is neither the host’s nor its own', async () => {
    await enable(host())
    // Gone before any look: the sleeps are seen as children of the host only.
    expect(await runShell(host(), 'sleep 0.1 & sleep 0.1 & exit 4', true)).toBe(4)
    expect(await untilReaped(host(), 2)).toMatchObject({ reaped: 2, unclaimed: 0 })
    await disable(host())
  })

  it('C52: 20 shells that leave a sleep and are gone at once: no zombie, nobody claimed them', async () => {
    await enable(host(), 100)
    await Promise.all(Array.from({ length: 20 }, () => runShell(host(), 'sleep 0.2 & :')))
    expect(await untilReaped(host(), 20)).toMatchObject({ reaped: 20, zombies: 0 })
    await disable(host())
  })

  it('who may be the runtime’s stays a zombie where nobody says otherwise', async () => {
    await enable(host(), 'never')
    // One that a look shows as a child of the host only: its parent is gone before.
    await waitUntil(
      async () => {
        await runShell(host(), 'sleep 0.05 & :')
        return zombieChildrenOf(host().pid).length > 0
      },
      10_000,
      'an orphan that nothing is known of',
    )
    await waitUntil(async () => (await counts(host())).zombies > 0, 10_000, 'it is counted')
    // Whoever is reaped, is reaped after a look; of some a look has shown the parent. The rest stays.
    const zombies = () => zombieChildrenOf(host().pid).map(({ pid }) => pid)
    await waitUntil(
      async () => {
        if (zombies().length === 0) await runShell(host(), 'sleep 0.05 & :')
        const { zombies: counted, living } = await counts(host())
        return living === 0 && counted > 0 && counted === zombies().length
      },
      10_000,
      'only those that nothing is known of are left',
    )
    const before = zombies()
    await runShell(host(), 'sleep 0.3')
    expect(zombies()).toEqual(expect.arrayContaining(before))
    await disable(host())
    await enable(host(), 50)
    await untilReaped(host(), before.length)
    await disable(host())
  })

  it('a worker’s child is the worker’s to claim, however long its loop is blocked', async () => {
    await enable(host(), 50)
    const told = await host().evaluate(({ workerThreads }) => {
      const source = `
          Promise.all([import('node:child_process'), import('node:worker_threads')]).then(([cp, wt]) => {
            const child = cp.spawn('sh', ['-c', 'exit 6'], { stdio: 'ignore' })
            child.once('exit', (code) => wt.parentPort.postMessage(code))
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
          })`
      const worker = new workerThreads.Worker(source, { eval: true })
      return new Promise<unknown>((resolve) => {
        worker.once('message', (code) => {
          void worker.terminate().then(() => resolve(code))
        })
        worker.once('error', (error) => resolve(String(error)))
      })
    }, null)
    expect(told).toBe(6)
    expect((await disable(host())).unclaimed).toBe(0)
  })

  it('off again: an orphan goes where it went before', async () => {
    await enable(host())
    await disable(host())
    await runShell(host(), 'sleep 0.5 & :')
    const isHelper = (pid: number) => statusOf(pid, 'Name').startsWith('procleash')
    expect(childrenOf(host().pid).filter(({ pid }) => !isHelper(pid))).toEqual([])
  })
})
