// A disk without room for spill files and logs: what is lost is told, and nobody else is held up.

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { outcomeOf, remoteRun } from '../support/remote.js'
import { forEachRuntime, forOneRuntime, type Runtime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { itNeeds } from '../support/tools.js'

const KIB = 1024
const SIZE = 256 * KIB

/** In a mount namespace of its own, with a disk this small; what the host sees there, the test sees below `/proc`. */
async function startOnSmallDisk(
  runtime: Runtime,
  options = '',
): Promise<{ host: Host; disk: string; outside: string }> {
  const disk = makeFolder('disk')
  const mount = `mount -t tmpfs -o size=${SIZE}${options} none "$0" && exec "$@"`
  const host = await startHost(runtime, { via: ['unshare', '--mount', 'sh', '-c', mount, disk] })
  return { host, disk, outside: join(`/proc/${host.pid}/root`, disk) }
}

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(
    ['mount-namespace'],
    'a spill file gets what there is room for, and the result says ENOSPC',
    async () => {
      const { host, disk, outside } = await startOnSmallDisk(runtime)
      const spillPath = join(disk, 'spill')
      const flood = ['-c', 'seq 1000000; echo end; exit 3']
      const [result, other] = await Promise.all([
        remoteRun(host, 'bash', flood, { spillPath, maxOutput: 64 * KIB }),
        remoteRun(host, 'bash', ['-c', 'echo other']),
      ])
      expect(result).toMatchObject({ code: 3, reason: 'exit', truncated: true, spillError: 'ENOSPC' })
      expectEmpty(result.settlement, 'exit')
      expect(result.stdout.startsWith('1\n2\n3\n')).toBe(true)
      expect(result.stdout.endsWith('1000000\nend\n')).toBe(true)
      expect(other).toMatchObject({ stdout: 'other\n', spillError: null })
      const spilled = readFileSync(join(outside, 'spill'), 'latin1')
      expect(spilled.length).toBeGreaterThan(SIZE / 2)
      expect(spilled.length).toBeLessThanOrEqual(SIZE)
      expect(spilled).toBe(allNumbers.slice(0, spilled.length))
    },
  )
})

forOneRuntime((runtime) => {
  guardEachTest()

  itNeeds(
    ['mount-namespace'],
    'a log: the command is told by the kernel, and is stopped as ever',
    async () => {
      const { host, disk, outside } = await startOnSmallDisk(runtime)
      const script = "trap '' TERM; seq 1000000; echo $? >status; while :; do sleep 1; done"
      const command = await host.spawn('bash', ['-c', script], { log: join(disk, 'log') })
      await expect.poll(() => readIfThere(join(host.dir, 'status')), { timeout: 10_000 }).toBe('1\n')
      expect(statSync(join(outside, 'log')).size).toBe(SIZE)
      expect(await command.stop({ budget: 700 })).toMatchObject({ outcome: 'empty', escalated: true })
    },
  )

  itNeeds(['mount-namespace'], 'no room for one more file: ENOSPC, and nothing is started', async () => {
    // The folder itself is one.
    const { host, disk } = await startOnSmallDisk(runtime, ',nr_inodes=1')
    const path = join(disk, 'new')
    const ran = join(host.dir, 'ran')
    expect(await outcomeOf(host.spawn('touch', [ran], { log: path }))).toBe('SpawnError ENOSPC')
    expect(await outcomeOf(host.spawn('touch', [ran], { stdout: { path } }))).toBe('SpawnError ENOSPC')
    expect(await outcomeOf(remoteRun(host, 'touch', [ran], { spillPath: path }))).toBe('SpawnError ENOSPC')
    expect(readIfThere(ran)).toBeUndefined()
  })
})

const allNumbers = Array.from({ length: 1_000_000 }, (_, index) => `${index + 1}\n`).join('')

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
