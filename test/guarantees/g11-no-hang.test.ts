// G11: a result never waits for a descendant that still holds stdout.

import { expect, it } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { startHost } from '../support/host.js'
import { remoteRun } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'

const SCRIPT = 'sleep 60 & echo hi'
const BOUND = 1500

forEachRuntime((runtime) => {
  guardEachTest()

  it.each([
    ['stays silent', SCRIPT],
    ['escapes', 'setsid sleep 60 & echo hi'],
    ['goes on writing for longer than is waited', '(while :; do echo more; sleep 0.02; done) & echo hi'],
  ])('a descendant that %s does not hold the result up', async (_, script) => {
    const host = await startHost(runtime)
    const result = await remoteRun(host, 'bash', ['-c', script])
    expect(result.stdout).toContain('hi\n')
    expect(result.code).toBe(0)
    expectEmpty(result.settlement, 'exit')
    // 2 s of draining at most, where output goes on.
    expect(result.duration).toBeLessThan(script.includes('more') ? 3500 : BOUND)
  })

  it("control: child_process's close event waits for it", async () => {
    const host = await startHost(runtime)
    const closed = await host.evaluate(
      ({ childProcess }, { script, bound }) =>
        new Promise<boolean>((resolve) => {
          childProcess.execFile('bash', ['-c', script], () => resolve(true))
          setTimeout(() => resolve(false), bound)
        }),
      { script: SCRIPT, bound: BOUND },
    )
    expect(closed).toBe(false)
    await endLeftProcesses()
  })
})
