// After each test, and once more after the suite: nothing that a test started may be alive or a zombie.
// Hosts register here. What belongs to a host is found by the mark in the environment, by descent from the living
// host, and by the pids with start times that trees wrote down (one empties its environment). Never by a program's
// name or file: what the guard finds it also ends, and somebody else's process may have those.

import { basename } from 'node:path'
import { afterAll, afterEach } from 'vitest'
import { IDLE_KEEPER } from './helpers.js'
import {
  carriersOf,
  descendantsOf,
  describeProcess,
  endProcess,
  executableOf,
  isAlive,
  isDeadState,
  listProcesses,
  type ProcessId,
  type ProcessStat,
  zombieChildrenOf,
} from './proc.js'
import { sanitizer } from './sanitizer.js'
import { MARK_VARIABLE } from './suite.js'
import { waitUntil } from './wait.js'

/** Milliseconds that what was told to go has for going. */
const DEADLINE = 3000

export interface WatchedHost extends ProcessId {
  readonly mark: string
  /** A host of the `file` stays for the tests that follow; one of the `test` has to be gone after it. */
  readonly scope: 'test' | 'file'
  /** Path of the helper, from the host's own mouth; the one supervisor that a living host may have runs it. */
  helper: string
  end(): Promise<void>
}

const hosts = new Set<WatchedHost>()
const remembered = new Map<string, ProcessId>()

export function watchHost(host: WatchedHost): void {
  hosts.add(host)
}

/** Notes a process that can't be found by mark or descent, so that the guard looks for it as well. */
export function remember(id: ProcessId): void {
  remembered.set(`${id.pid}:${id.startTime}`, id)
}

/** What is left now of everything that the tests of this file started: strays of living hosts, all of dead ones. */
export function leftProcesses(): ProcessStat[] {
  const table = listProcesses()
  const left = new Map<number, ProcessStat>()
  const note = (stats: readonly ProcessStat[]) => {
    for (const stat of stats) left.set(stat.pid, stat)
  }
  for (const host of hosts) {
    const found = new Map<number, ProcessStat>()
    for (const stat of carriersOf(`${MARK_VARIABLE}=${host.mark}`, table)) found.set(stat.pid, stat)
    if (isAlive(host)) {
      for (const stat of descendantsOf(host.pid, table)) found.set(stat.pid, stat)
      found.delete(host.pid)
      for (const stat of helpersThatMayStay(host, [...found.values()])) found.delete(stat.pid)
    }
    note([...found.values()])
  }
  note(table.filter((stat) => remembered.has(`${stat.pid}:${stat.startTime}`) && !isDeadState(stat.state)))
  note(zombieChildrenOf(process.pid))
  return [...left.values()]
}

/**
 * Once every tree has settled: the supervisor, and one keeper that waits for the next command. Another process that runs
 * the helper is a keeper that stayed.
 */
function helpersThatMayStay(host: WatchedHost, stats: readonly ProcessStat[]): ProcessStat[] {
  const helpers = stats
    .filter((stat) => !isDeadState(stat.state) && isHelper(host, stat))
    .sort((a, b) => a.startTime - b.startTime || a.pid - b.pid)
  const idle = helpers.find(({ comm }) => comm === IDLE_KEEPER)
  return [...helpers.filter((stat) => stat !== idle).slice(0, 1), ...(idle === undefined ? [] : [idle])]
}

function isHelper(host: WatchedHost, stat: ProcessStat): boolean {
  // The kernel says so of a file that a build has replaced meanwhile.
  const executable = executableOf(stat.pid).replace(/ \(deleted\)$/, '')
  return executable === host.helper || executable.startsWith('/memfd:procleash') || isValgrind(executable)
}

/** What runs in a helper's place: see scripts/valgrind.mjs. */
function isValgrind(executable: string): boolean {
  return sanitizer === 'valgrind' && basename(executable).startsWith('memcheck-')
}

/** Fails, naming them, when something is left after the deadline; then ends it, so that the next test starts clean. */
export async function checkNothingLeft(): Promise<void> {
  let left: ProcessStat[] = []
  try {
    await waitUntil(
      () => {
        left = leftProcesses()
        return left.length === 0
      },
      DEADLINE,
      'nothing left',
    )
  } catch {
    const names = left.map((stat) => `  ${describeProcess(stat)}`)
    // Their hosts go too: whatever state they are in, the next test must not depend on it.
    await endHosts('all')
    for (const stat of [...left, ...leftProcesses()]) endProcess(stat)
    remembered.clear()
    throw new Error(`left by this test after ${DEADLINE} ms:\n${names.join('\n')}`)
  }
  remembered.clear()
}

/** For negative controls, whose point is that something is left: ends it, by pid, until nothing is. */
export async function endLeftProcesses(): Promise<void> {
  await waitUntil(
    () => {
      const left = leftProcesses()
      for (const stat of left) endProcess(stat)
      return left.length === 0
    },
    DEADLINE,
    () => `what the control left is ended: ${leftProcesses().map(describeProcess)}`,
  )
}

async function endHosts(which: 'test' | 'all'): Promise<void> {
  for (const host of [...hosts]) {
    if (which === 'test' && host.scope === 'file') continue
    await host.end()
  }
}

/** Forgets hosts that have ended and of which nothing is left. */
function forgetEnded(): void {
  for (const host of [...hosts]) if (!isAlive(host)) hosts.delete(host)
}

/** Registers the guard for the tests of the enclosing block. Call it before any other hook: it must run last. */
export function guardEachTest(): void {
  afterEach(async () => {
    await endHosts('test')
    await checkNothingLeft()
    forgetEnded()
  })
  afterAll(async () => {
    await endHosts('all')
    await checkNothingLeft()
    forgetEnded()
  })
}
