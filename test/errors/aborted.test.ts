// A signal that is aborted already starts nothing: 0 of 1,000.

import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useHost } from '../support/host.js'
import { descendantsOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('an aborted signal starts nothing, 1,000 times, and is the cause of the error', async () => {
    const dir = join(host().dir, 'aborted')
    mkdirSync(dir)
    const told = await host().evaluate(async ({ procleash, describeError }, folder) => {
      const reason = new Error('not wanted')
      const signal = AbortSignal.abort(reason)
      const attempts = Array.from({ length: 1000 }, (_, number) => {
        const start = number % 2 === 0 ? procleash.spawn : procleash.run
        return start('touch', [`${folder}/${number}`], { signal }).then(
          () => 'started',
          (error: Error) => {
            const { name, code, cause } = describeError(error)
            return `${name} ${code} ${cause?.message} ${error.cause === reason}`
          },
        )
      })
      return [...new Set(await Promise.all(attempts))]
    }, dir)
    expect(told).toEqual(['AbortError ABORT_ERR not wanted true'])
    // A command after them would find what they had started.
    const last = await host().spawn('sh', ['-c', 'sleep 0.2'])
    expect(await last.exited()).toEqual({ code: 0, signal: null })
    expect(readdirSync(dir)).toEqual([])
  })

  it('a signal that is aborted right after the call leaves nothing running', async () => {
    const told = await host().evaluate(async ({ procleash, describeError }) => {
      const attempts = Array.from({ length: 50 }, async (_, number) => {
        const controller = new AbortController()
        const started = procleash.spawn('sleep', ['60'], { signal: controller.signal })
        if (number % 2 === 0) controller.abort(new Error('changed my mind'))
        else setTimeout(() => controller.abort(new Error('changed my mind')), number / 10)
        try {
          const { outcome, reason } = await (await started).settled
          return `${outcome} ${reason}`
        } catch (error) {
          return `${describeError(error).code} ${describeError(error).cause?.message}`
        }
      })
      return [...new Set(await Promise.all(attempts))].sort()
    }, null)
    for (const entry of told) expect(['ABORT_ERR changed my mind', 'empty abort']).toContain(entry)
    await waitUntil(
      () => descendantsOf(host().pid).every(({ comm }) => comm !== 'sleep'),
      5000,
      'no command is left',
    )
  })
})
