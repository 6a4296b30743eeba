// More output than anybody wants: memory stays flat, head and tail are kept, the clock isn't disturbed.

import { expect, it } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { type Host, useHost } from '../support/host.js'
import { residentBytes } from '../support/proc.js'
import { remoteRun } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { waitUntil } from '../support/wait.js'
import { untilHeldUp } from '../support/writer.js'

const MiB = 2 ** 20

/** Highest resident size of the host while `work` goes on. */
async function highestMemory<T>(host: Host, work: Promise<T>): Promise<{ highest: number; value: T }> {
  let highest = 0
  let over = false
  void work.finally(() => {
    over = true
  })
  await waitUntil(
    () => {
      highest = Math.max(highest, residentBytes(host.pid))
      return over
    },
    30_000,
    'end of the flood',
  )
  return { highest, value: await work }
}

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('C31: a time limit holds in a flood, memory stays flat, dropped bytes are counted', async () => {
    const options = { timeout: 500, maxOutput: MiB }
    await remoteRun(host(), 'bash', ['-c', 'yes | head -c 8M'], options)
    const before = residentBytes(host().pid)
    const { highest, value } = await highestMemory(
      host(),
      remoteRun(host(), 'bash', ['-c', 'yes | cat'], options),
    )

    expectEmpty(value.settlement, 'timeout')
    expect(value.reason).toBe('timeout')
    expect(value.duration).toBeGreaterThanOrEqual(500)
    expect(value.duration).toBeLessThan(1200)
    expect(value.truncated).toBe(true)
    expect(value.dropped.stdout).toBeGreaterThan(MiB)
    expect(value.dropped.stderr).toBe(0)
    expect(value.stdout).toHaveLength(MiB)
    expect(/^(y\n)+$/.test(value.stdout.slice(0, MiB / 2))).toBe(true)
    expect(highest - before).toBeLessThan(64 * MiB)
  })

  it('`yes` for 5 s with maxOutput: the host grows by less than 64 MB', async () => {
    const options = { timeout: 5000, maxOutput: MiB }
    await remoteRun(host(), 'bash', ['-c', 'yes | head -c 8M'], options)
    const before = residentBytes(host().pid)
    const { highest, value } = await highestMemory(host(), remoteRun(host(), 'yes', [], options))

    expectEmpty(value.settlement, 'timeout')
    expect(value.dropped.stdout).toBeGreaterThan(100 * MiB)
    expect(highest - before).toBeLessThan(64 * MiB)
  })

  it('an unread stream holds its writer up and nothing else', async () => {
    const command = await host().spawn('yes', [], { unread: true })
    const before = residentBytes(host().pid)
    expect(await untilHeldUp(command.pid)).toBeLessThan(8 * MiB)
    expect(residentBytes(host().pid) - before).toBeLessThan(32 * MiB)

    expectEmpty(await command.stop({ budget: 700 }), 'stop')
  })
})
