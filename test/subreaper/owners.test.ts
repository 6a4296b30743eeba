// An orphan of an adopted child is its owner's: listed as such, stopped with it, reaped here.

import { expect, it } from 'vitest'
import { adoptChild, startChild } from '../support/adopt.js'
import { useHost } from '../support/host.js'
import { isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { disable, enable, orphans, untilReaped } from '../support/subreaper.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('is tied to the owner whose recorder knows it, and its release ends it', async () => {
    await enable(host())
    await startChild(host(), 'child_process', ['sh', '-c', 'sleep 61 & sleep 1.5; exit 5'])
    const command = await adoptChild(host(), { owner: 'reaped', leftovers: 'keep' })
    expect(await command.exited()).toEqual({ code: 5, signal: null })
    await waitUntil(async () => (await orphans(host())).length === 1, 10_000, 'the orphan is known')
    const [orphan] = await orphans(host())
    expect(orphan).toMatchObject({ argv: ['sleep', '61'], owner: ['reaped'] })

    await command.stop()

    expect(isAlive(orphan!)).toBe(false)
    expect(await untilReaped(host(), 1)).toMatchObject({ reaped: 1, unclaimed: 0 })
    await disable(host())
  })

  it('twice, or in a worker: a typed error, and nothing changes', async () => {
    await enable(host())
    const refuse = () =>
      host().evaluate(({ procleash, describeError }) => {
        try {
          procleash.enableSubreaper()
          return null
        } catch (error) {
          return describeError(error)
        }
      }, null)
    expect(await refuse()).toMatchObject({ className: 'SubreaperError', code: 'ERR_PROCLEASH_SUBREAPER_ON' })
    await disable(host())
    const inWorker = await host().evaluate(({ workerThreads, process }) => {
      const source = `
        import(${JSON.stringify(process.argv[1]!.replace(/test.hosts.*/, 'dist/src/index.js'))}).then((procleash) => {
          let code = 'none'
          try { procleash.enableSubreaper() } catch (error) { code = error.code }
          return import('node:worker_threads').then((wt) => wt.parentPort.postMessage(code))
        })`
      const worker = new workerThreads.Worker(source, { eval: true })
      return new Promise<unknown>((resolve) => {
        worker.once('message', (code) => void worker.terminate().then(() => resolve(code)))
        worker.once('error', (error) => resolve(String(error)))
      })
    }, null)
    expect(inWorker).toBe('ERR_PROCLEASH_WORKER')
    const invalid = await host().evaluate(({ procleash, describeError }) => {
      try {
        return procleash.enableSubreaper({ unclaimedAfter: -1 })
      } catch (error) {
        return describeError(error)
      }
    }, null)
    expect(invalid).toMatchObject({ code: 'ERR_OUT_OF_RANGE', option: 'unclaimedAfter' })
  })
})
