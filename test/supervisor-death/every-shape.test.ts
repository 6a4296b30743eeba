// G5 with trees of every shape at once: whichever two of host, supervisor and keepers are killed, nothing is left, and
// a living host is told the truth.

import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { helpersOf } from '../support/helpers.js'
import { type Host, startHost } from '../support/host.js'
import { endProcess, isAlive } from '../support/proc.js'
import type { RemoteCommand } from '../support/remote.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

/** The default budget. */
const BUDGET = 500
/** What two busy cores, of which a fork storm has one, may add to it. */
const NOISE = 2000

const SHAPES = [
  'background-job.sh',
  'deaf-family.sh',
  'deaf-shell.sh',
  'double-fork-daemon.py',
  'early-leader.sh',
  'fork-storm.py',
  'generations.sh',
  'helper-on-term.sh',
  'hopper.py',
  'menagerie.py',
  'obedient-leader.sh',
  'own-session.sh',
  'service.py',
  'shell-and-child.sh',
  'slow-but-graceful.py',
  'suspended-server.sh',
]

type Part = 'host' | 'supervisor' | 'keepers'

const together: Part[][] = [
  ['keepers'],
  ['supervisor'],
  ['host'],
  ['keepers', 'supervisor'],
  ['supervisor', 'keepers'],
  ['host', 'keepers'],
  ['host', 'supervisor'],
]

interface Planted {
  readonly tree: Tree
  readonly command: RemoteCommand
}

async function plantAll(host: Host, shapes: readonly string[]): Promise<Planted[]> {
  return Promise.all(
    shapes.map(async (shape) => {
      const tree = plantTree(shape)
      // What a command leaves on purpose is there when the fault comes.
      return { tree, command: await host.plant(tree, { leftovers: 'keep' }) }
    }),
  )
}

function killParts(host: Host, parts: readonly Part[]): void {
  const { supervisor, keepers } = helpersOf(host)
  const pids = { host: [host], supervisor: [supervisor], keepers }
  // After the first of them the others may be quicker than we are.
  for (const part of parts) for (const id of pids[part]) endProcess(id)
}

async function expectTruth(host: Host, planted: readonly Planted[]): Promise<void> {
  for (const { tree, command } of planted) {
    const settlement = await command.settled()
    expect(settlement, tree.args[0]).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost' })
    expect(tree.alive(), tree.args[0]).toEqual([])
  }
  expect(isAlive(host)).toBe(true)
  const next = await host.spawn('bash', ['-c', 'exit 4'])
  expect(await next.exited()).toEqual({ code: 4, signal: null })
  expect(await next.settled()).toMatchObject({ outcome: 'empty', reason: 'exit', proof: 'subreaper' })
}

async function killAndLook(runtime: Runtime, shapes: readonly string[], parts: readonly Part[]) {
  const host = await startHost(runtime)
  const planted = await plantAll(host, shapes)

  killParts(host, parts)

  const alive = () =>
    planted.flatMap(({ tree }) => tree.alive().map((role) => `${tree.args[0]?.split('/').at(-1)} ${role}`))
  const took = await waitUntil(
    () => alive().length === 0,
    BUDGET + NOISE + 3000,
    () => `gone: ${alive()}`,
  )
  expect(took).toBeLessThanOrEqual(BUDGET + NOISE)
  if (!parts.includes('host')) await expectTruth(host, planted)
}

forEachRuntime((runtime) => {
  guardEachTest()

  it.each(together.map((parts) => ({ parts, title: parts.join(' and ') })))(
    '$title killed while trees of every shape run',
    // With keepers and supervisor gone only snapshots are left, and a fork storm has one of two busy cores.
    { retry: 2 },
    async ({ parts }) => {
      await killAndLook(runtime, SHAPES, parts)
    },
  )

  itNeeds(['pid-namespace'], 'C19: keepers and supervisor killed above a PID namespace', async () => {
    await killAndLook(runtime, ['pid-namespace.sh'], ['keepers', 'supervisor'])
  })
})
