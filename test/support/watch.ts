// Trees that the host starts by its runtime's own child_process, and watchTree in the host.

import { expect } from 'vitest'
import type {
  ProcessInfo,
  Recording,
  Settlement,
  StopOptions,
  TreeWatch,
  WatchTreeOptions,
} from '../../src/types.js'
import { turnedOffToo } from './features.js'
import type { Host } from './host.js'
import { missing } from './tools.js'
import type { Tree } from './tree.js'
import { waitUntil } from './wait.js'

interface Way {
  readonly way: Recording
  /** Of the host. */
  readonly env: Readonly<Record<string, string>>
}

const polling: Way = { way: 'polling', env: turnedOffToo('proc_events') }

/** The ways to record that there are here. Without events, the tests that need them say why they are skipped. */
export const recordings: readonly Way[] =
  missing(['process-events']).length === 0 ? [{ way: 'events', env: {} }, polling] : [polling]

export interface RemoteWatch {
  readonly pid: number
  readonly startTime: number
  readonly recording: Recording
  readonly mayMiss: string
  stop(options?: StopOptions): Promise<Settlement>
  /** `null` after a release. */
  settled(): Promise<Settlement>
  exited(): Promise<void>
  processes(): Promise<ProcessInfo[]>
  release(): Promise<void>
  /** Waits until all living processes of the tree are in the record. */
  knows(tree: Tree): Promise<void>
}

export async function startWatch(
  host: Host,
  pid: number,
  options: WatchTreeOptions = { budget: 700 },
): Promise<RemoteWatch> {
  const key = `watch ${pid}`
  const facts = await host.evaluate(
    async ({ procleash, kept }, request) => {
      const watch = await procleash.watchTree(request.pid, request.options)
      kept[request.key] = watch
      const { startTime, recording, mayMiss } = watch
      return { startTime, recording, mayMiss }
    },
    { pid, options, key },
  )
  const ask = <Result, Argument>(
    method: 'stop' | 'processes' | 'release',
    argument?: Argument,
  ): Promise<Result> =>
    host.evaluate(
      ({ kept }, request) => {
        const watch = kept[request.key] as TreeWatch
        return watch[request.method](request.argument as never) as Promise<unknown>
      },
      { key, method, argument },
    ) as Promise<Result>
  const processes = () => ask<ProcessInfo[], undefined>('processes')
  return {
    pid,
    ...facts,
    processes,
    stop: (stopOptions) => ask('stop', stopOptions),
    release: () => ask('release'),
    settled: () =>
      host.evaluate(({ kept }, name) => (kept[name] as TreeWatch).settled, key) as Promise<Settlement>,
    exited: () => host.evaluate(({ kept }, name) => (kept[name] as TreeWatch).exited, key),
    knows: async (tree) => {
      let missing: string[] = []
      await waitUntil(
        async () => {
          const known = new Set((await processes()).map((process) => process.pid))
          missing = tree.alive().filter((role) => !known.has(tree.process(role).pid))
          return missing.length === 0
        },
        10_000,
        () => `recorded: ${missing}`,
      )
    },
  }
}

/** All that was recorded is gone, and no more is claimed. */
export function expectRecordedGone(settlement: Settlement, reason: Settlement['reason']): void {
  expect(settlement).toMatchObject({ outcome: 'empty', reason, proof: 'snapshot', survivors: [] })
}
