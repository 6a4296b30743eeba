// What adopt() does not take: each with a typed error, and nothing signalled.

import { expect, it } from 'vitest'
import { adoptChild, startChild, startersOf } from '../support/adopt.js'
import { useHost } from '../support/host.js'
import { identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)
  const gone = { className: 'NoSuchProcessError', code: 'ESRCH' }
  const forbidden = { className: 'ForbiddenTargetError', code: 'ERR_PROCLEASH_FORBIDDEN_TARGET' }

  it.each(startersOf(runtime))('%s: a child that has ended', async (starter) => {
    await startChild(host(), starter, ['true'])
    await host().evaluate(async ({ kept }) => {
      const child = kept.child as {
        exitCode?: number | null
        exited?: Promise<unknown>
        status?: Promise<unknown>
      }
      await child.status
      await child.exited
      while (child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 5))
    }, null)
    await expect(adoptChild(host())).rejects.toMatchObject(gone)
  })

  it('a child that has ended unseen: the runtime was busy', async () => {
    const told = await host().evaluate(async ({ procleash, childProcess, describeError }) => {
      const child = childProcess.spawn('true')
      for (const end = performance.now() + 300; performance.now() < end; );
      return procleash.adopt(child).then(
        async (command) => (await command.settled).outcome,
        (error) => describeError(error).code,
      )
    }, null)
    // On a machine that has not even started it by then, it is one that ends soon.
    expect(['ESRCH', 'empty']).toContain(told)
  })

  it('a child that was never started', async () => {
    const error = await host().evaluate(async ({ procleash, childProcess, describeError }) => {
      const child = childProcess.spawn('/no/such/program')
      child.on('error', () => {})
      return procleash.adopt(child).then(() => undefined, describeError)
    }, null)
    expect(error).toMatchObject(gone)
  })

  it("another process's pid: the host's, its parent's, a grandchild's", async () => {
    const told = await host().evaluate(async ({ procleash, childProcess, process, describeError }) => {
      const child = childProcess.spawn('sh', ['-c', 'sleep 60 & echo $!; wait'])
      const grandchild = Number(await new Promise((resolve) => child.stdout.once('data', resolve)))
      const errors: (import('../support/remote.js').SentError | undefined)[] = []
      for (const pid of [process.pid, process.ppid, 1, grandchild]) {
        const other = childProcess.spawn('sleep', ['60'])
        const own = other.pid!
        Object.defineProperty(other, 'pid', { value: pid, configurable: true })
        errors.push(await procleash.adopt(other).then(() => undefined, describeError))
        process.kill(own, 'SIGKILL')
      }
      const command = await procleash.adopt(child)
      const found = await command.processes()
      return { errors, found: found.map(({ pid }) => pid).includes(grandchild), end: await command.stop() }
    }, null)
    expect(told.errors.map((error) => error?.className)).toEqual(Array(4).fill(forbidden.className))
    expect(told.errors.map((error) => error?.code)).toEqual(Array(4).fill(forbidden.code))
    expect(told).toMatchObject({ found: true, end: { outcome: 'empty', endedCount: 2 } })
  })

  it('a child that was adopted before', async () => {
    const pid = await startChild(host(), 'child_process', ['sleep', '60'])
    const command = await adoptChild(host())
    await expect(adoptChild(host())).rejects.toMatchObject(forbidden)
    expect(isAlive(identify(pid))).toBe(true)
    expect(await command.stop()).toMatchObject({ outcome: 'empty' })
  })

  it('objects that no runtime has given, and options that are not valid', async () => {
    const codes = await host().evaluate(async ({ procleash, childProcess, describeError }) => {
      const child = childProcess.spawn('sleep', ['60'])
      const own = await procleash.spawn('sleep', ['60'])
      const tryAll = async (calls: readonly (readonly [unknown, object?])[]) => {
        const errors: (import('../support/remote.js').SentError | undefined)[] = []
        for (const [value, options] of calls) {
          const call = procleash.adopt(value as typeof child, options)
          errors.push(await call.then(() => undefined, describeError))
        }
        return errors.map((error) => `${error?.code} ${error?.option}`)
      }
      const told = await tryAll([
        [{ pid: child.pid, exitCode: null, signalCode: null, exited: child }],
        [{ pid: child.pid, status: Promise.resolve() }],
        [child.pid],
        [null],
        [own],
        [child, { budget: -1 }],
        [child, { kind: '' }],
        [child, { owner: {} }],
        [child, { leftovers: 'leave' }],
        [child, { stopSignal: 'SIGNOPE' }],
      ])
      child.kill('SIGKILL')
      await own.stop({ budget: 0 })
      return told
    }, null)
    expect(codes).toEqual([
      ...Array(5).fill('ERR_INVALID_ARG_TYPE child'),
      'ERR_OUT_OF_RANGE budget',
      'ERR_INVALID_ARG_VALUE kind',
      'ERR_INVALID_ARG_TYPE owner',
      'ERR_INVALID_ARG_VALUE leftovers',
      'ERR_UNKNOWN_SIGNAL stopSignal',
    ])
  })
})
