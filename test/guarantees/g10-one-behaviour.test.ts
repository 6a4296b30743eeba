// G10: one behaviour in every runtime. The whole suite runs in each; here what they tell is laid side by side.

import { expect, it } from 'vitest'
import type { Settlement } from '../../src/types.js'
import { isGroupGrade } from '../support/grade.js'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { type RemoteError, remoteRun } from '../support/remote.js'
import { chosenRuntimes } from '../support/runtimes.js'
import { python } from '../support/tools.js'
import { plantTree } from '../support/tree.js'

/**
 * What has to be the same. Numbers of processes and times can't be, nor who was first to take a child's status, nor
 * the name of a child that has not come to its exec yet. With grade `group`, nor how many have ended: a list of ps shows
 * a child that is about to end, or doesn't.
 */
function comparable({ elapsed, ended, endedCount, usage, ...settlement }: Settlement) {
  const entries = ended.map(({ escaped }) => String(escaped)).sort()
  const counted = isGroupGrade ? {} : { endedCount, ended: entries }
  return { ...settlement, ...counted, times: typeof elapsed, usage: Object.keys(usage).sort() }
}

async function record(host: Host): Promise<unknown> {
  const told: unknown[] = []
  for (const program of ['shell-and-child.sh', 'obedient-leader.sh', 'double-fork-daemon.py']) {
    const command = await host.plant(plantTree(program))
    told.push(
      comparable(await command.stop({ budget: 300 })),
      await command.exited(),
      await command.allOutput(),
    )
  }
  const {
    duration: _,
    startedAt: __,
    settlement,
    ...result
  } = await remoteRun(host, 'bash', ['-c', 'echo out; echo err >&2; sleep 60 & kill -USR1 $$'])
  told.push(result, comparable(settlement!))
  for (const [file, args] of [
    ['/no/such', []],
    ['/etc/passwd', []],
    ['true', ['nul\0']],
  ] as const) {
    await host
      .spawn(file, args)
      .catch(({ name, code, message }: RemoteError) => told.push({ name, code, message }))
  }
  return told
}

/** Signals that a child of child_process gets blocked and ignored, where the host has SIGTERM and SIGHUP so. */
function recordNaive(host: Host): Promise<unknown> {
  return host.evaluate(
    ({ childProcess }) =>
      childProcess.execFileSync('grep', ['-E', '^Sig(Blk|Ign)', '/proc/self/status'], { encoding: 'utf8' }),
    null,
  )
}

const hostile = `
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
for name in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT): signal.signal(name, signal.SIG_IGN)
os.execvp(sys.argv[1], sys.argv[1:])
`

/** What each runtime tells, by its name. */
async function tellings(
  look: (host: Host) => Promise<unknown>,
  via: string[] = [],
): Promise<Map<string, unknown>> {
  const told = new Map<string, unknown>()
  for (const runtime of chosenRuntimes().filter(({ missing }) => missing === undefined)) {
    const host = await startHost(runtime, { via })
    told.set(runtime.name, await look(host))
    await host.close()
  }
  return told
}

guardEachTest()

it('every runtime tells the same of the same trees, results and errors', async () => {
  const told = await tellings(record)
  const [first] = told.values()
  for (const [name, telling] of told) expect(telling, name).toEqual(first)
})

it.runIf(chosenRuntimes().length === 5)("control: child_process doesn't, given the same host", async () => {
  const told = await tellings(recordNaive, [python, '-c', hostile])
  expect(new Set(told.values()).size).toBeGreaterThan(1)
})
