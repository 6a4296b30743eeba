// Every way for a host to end. None of them leaves anything: not the command, nor its grandchild, nor a daemon.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { type Host, type HostOptions, startHost } from '../support/host.js'
import { readStat } from '../support/proc.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { itNeeds, limitProcess } from '../support/tools.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil, within } from '../support/wait.js'

const BUDGET = 300
/** What two busy cores may add to a budget; G4's own 50 ms are a benchmark's, on a machine that does nothing else. */
const NOISE = 1000

const BY_ITSELF = ['exit', 'empty loop', 'throw', 'rejection', 'abort'] as const
const BY_SIGNAL = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const
const WITHOUT_EXECVE = ['node20', 'deno']

const HEAP = '--max-old-space-size=64'
/** Bytes of private memory: enough to live, not for long. */
const BUN_DATA = 1 << 28

async function startWithTree(runtime: Runtime, options: HostOptions = {}): Promise<[Host, Tree]> {
  const tree = plantTree('generations.sh')
  const host = await startHost(runtime, options)
  // Unread: a read that waits would keep the loop alive.
  const command = await host.plant(tree, { unread: true, budget: BUDGET })
  await host.evaluate(({ commands }, handle) => commands.get(handle)!.command.unref(), command.handle)
  expect(tree.alive().sort()).toEqual(['child', 'daemon', 'grandchild', 'leader'])
  return [host, tree]
}

async function expectGone(tree: Tree): Promise<void> {
  const took = await waitUntil(
    () => tree.alive().length === 0,
    BUDGET + NOISE + 3000,
    () => `gone: ${tree.alive()}`,
  )
  expect(took).toBeLessThanOrEqual(BUDGET + NOISE)
}

async function letEnd(host: Host, ending: string): Promise<void> {
  if (ending.startsWith('SIG')) host.kill(ending as NodeJS.Signals)
  else if (ending === 'empty loop') await host.letGo()
  else await host.request('end', { how: ending })
}

/** Uses up all memory that it may have. */
function exhaust(host: Host): Promise<void> {
  return host.evaluate(() => {
    setTimeout(() => {
      const kept: unknown[] = []
      for (;;) kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })))
    }, 0)
  }, null)
}

forEachRuntime((runtime) => {
  guardEachTest()

  it.each([...BY_ITSELF, ...BY_SIGNAL])('C42: a host that ends by %s', async (ending) => {
    const [host, tree] = await startWithTree(runtime)

    await letEnd(host, ending)
    await within(host.ended, 5000, `the host ends by ${ending}`)

    await expectGone(tree)
  })

  const outOfMemory = async () => {
    // Each by the variable of its own; Bun's heap has no limit but the system's.
    const env = { NODE_OPTIONS: runtime.name.startsWith('node') ? HEAP : '', DENO_V8_FLAGS: HEAP }
    const [host, tree] = await startWithTree(runtime, { env })
    if (runtime.name === 'bun') limitProcess(host.pid, [`--data=${BUN_DATA}`])

    await exhaust(host)
    const exit = await within(host.ended, 15_000, 'the host runs out of memory')

    expect(exit).not.toMatchObject({ code: 0 })
    await expectGone(tree)
  }
  if (runtime.name === 'bun') itNeeds(['prlimit'], 'a host that runs out of memory', outOfMemory)
  else it('a host that runs out of memory', outOfMemory)

  if (WITHOUT_EXECVE.includes(runtime.name)) {
    it('process.execve: not tried, since this runtime has none', async () => {
      const host = await startHost(runtime)
      expect(await host.evaluate(({ process }) => 'execve' in process, null)).toBe(false)
    })
  } else {
    it('a host that becomes another program by process.execve', async () => {
      const [host, tree] = await startWithTree(runtime)

      await host.evaluate(({ process }) => {
        const { execve } = process as unknown as { execve(file: string, args: string[]): void }
        setTimeout(() => execve.call(process, '/bin/sleep', ['sleep', '30']), 0)
      }, null)
      await waitUntil(() => readStat(host.pid)?.comm === 'sleep', 5000, 'the host is another program')

      await expectGone(tree)
      host.kill('SIGKILL')
    })
  }
})
