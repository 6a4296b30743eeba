// Subreaper mode: this program adopts the orphans of what it has started, or of a whole container, and reaps them.
// Which of them may be reaped is decided and done in native/addon/orphans.cc; this is its face.

import process from 'node:process'
import { MessageType, OrphanCount } from '../bindings/native.js'
import { errnoFix, errnoName } from './errno.js'
import { ProcfsError, type ProcleashError, SubreaperError } from './errors.js'
import { inspectTree } from './inspect-tree.js'
import { atMost } from './owners/list.js'
import { ownerPath } from './owners/node.js'
import { ownedTrees } from './owners/owner.js'
import { getReactor, type Port, type Reactor } from './reactor.js'
import type { ProcessInfo } from './types.js'
import { checkObject, checkTime } from './validate.js'

/** Milliseconds. */
const DEFAULT_UNCLAIMED_AFTER = 500

/** Milliseconds for the answers of all recorders. */
const PATIENCE = 2000

const BUSY = -16
const OTHER_THREAD = -18
const NO_PROCFS = -2

/** Options of {@link enableSubreaper}. */
export interface SubreaperOptions {
  /**
   * Milliseconds from the end of a child of which nothing tells whether the runtime has started it, until it is reaped
   * because nobody has claimed it. Counted only while the event loop goes round. Default 500; `Infinity`: never.
   */
  readonly unclaimedAfter?: number
}

/** An adopted process that lives. */
export interface Orphan extends ProcessInfo {
  /** Path of the owner whose tree the recorder of an {@link adopt} has it in; `null`: of none. */
  readonly owner: readonly string[] | null
}

/** What a subreaper has done, and has before it. */
export interface OrphanCounts {
  /** Orphans reaped so far. */
  readonly reaped: number
  /** How many of them because nobody had claimed them. */
  readonly unclaimed: number
  /** Zombies that the runtime may still claim. */
  readonly zombies: number
  /** Adopted ones that live. */
  readonly living: number
}

/** The mode that {@link enableSubreaper} has turned on. */
export interface Subreaper {
  counts(): OrphanCounts
  /**
   * Those that live and are proved orphans: of what came up unseen nothing is known before
   * it ends. To end one, use {@link stopTree} with its `startTime`.
   */
  orphans(): Promise<Orphan[]>
  /** Turns the mode off, and the attribute of the process to what it was. Later orphans of PID 1 stay zombies. */
  disable(): void
}

/**
 * Makes this process a child subreaper (prctl(2), PR_SET_CHILD_SUBREAPER): orphans below it become its children, as
 * they do anyway where it is PID 1, and are reaped. For a program that is PID 1 of a container itself, or that must
 * catch what trees that it did not start through procleash leave behind. Off unless called; keeps no event loop alive.
 *
 * Orphans are reaped one by one and by number, never with `waitpid(-1)`: only those that are shown not to be the
 * runtime's own children. That is who was seen below another process before, who is in a session that is neither this
 * process's nor its own, and who stayed a zombie although the event loop of the thread that has it as a child went
 * round several times within `unclaimedAfter`.
 *
 * @throws {SubreaperError} when it is on already, in a worker, and when the kernel refuses.
 * @throws {ProcfsError} without a /proc of this PID namespace.
 * @throws {InvalidOptionError} when an option is not valid.
 * @throws {NativeMissingError} when the addon can't be loaded.
 */
export function enableSubreaper(options: SubreaperOptions = {}): Subreaper {
  checkObject(options, 'options')
  const { unclaimedAfter = DEFAULT_UNCLAIMED_AFTER } = options
  if (unclaimedAfter !== Infinity) {
    checkTime(unclaimedAfter, 'unclaimedAfter', 'at least 0', 'Give milliseconds, or Infinity for never')
  }
  const reactor = getReactor()
  const handle = reactor.native.enableSubreaper(unclaimedAfter)
  if (handle < 0) throw refused(handle)
  reactor.attach(handle, portOf(reactor, handle))
  return face(reactor)
}

/** Each ORPHANS message is one turn of the loop for the children that nobody has claimed yet. */
function portOf({ native }: Reactor, handle: number): Port {
  const nothing = (): void => {}
  return {
    data: nothing,
    ended: nothing,
    written: nothing,
    drained: nothing,
    message: (type) => {
      if (type === MessageType.orphans) native.reapUnclaimed()
    },
    closed: () => native.forget(handle),
    failed: nothing,
  }
}

function face({ native }: Reactor): Subreaper {
  let isOn = true

  const numbers = (): Float64Array => {
    const into = new Float64Array(isOn ? native.orphans(new Float64Array(OrphanCount.count)) : 0)
    native.orphans(into)
    return into
  }

  let last: OrphanCounts = { reaped: 0, unclaimed: 0, zombies: 0, living: 0 }
  const counts = (): OrphanCounts => {
    if (!isOn) return last
    const found = new Float64Array(OrphanCount.count)
    native.orphans(found)
    const at = (index: number): number => found[index] ?? 0
    last = {
      reaped: at(OrphanCount.reaped),
      unclaimed: at(OrphanCount.unclaimed),
      zombies: at(OrphanCount.zombies),
      living: at(OrphanCount.living),
    }
    return last
  }

  return {
    counts,
    orphans: async () => (isOn ? describe(numbers().subarray(OrphanCount.count)) : []),
    disable: () => {
      if (!isOn) return
      last = { ...counts(), zombies: 0, living: 0 }
      isOn = false
      native.disableSubreaper()
    },
  }
}

async function describe(pairs: Float64Array): Promise<Orphan[]> {
  const wanted = new Set<string>()
  for (let at = 0; at < pairs.length; at += 2) wanted.add(`${pairs[at]}:${pairs[at + 1]}`)
  if (wanted.size === 0) return []
  const [processes, owners] = await Promise.all([inspectTree(process.pid), recordedOwners()])
  return processes
    .filter((each) => wanted.has(nameOf(each)))
    .map((each) => ({ ...each, owner: owners.get(nameOf(each)) ?? null }))
}

/** What the recorders of adopted trees know. The trees of keepers have no orphans here. */
async function recordedOwners(): Promise<ReadonlyMap<string, readonly string[]>> {
  const owners = new Map<string, readonly string[]>()
  const asked = ownedTrees().map(async (tree) => {
    for (const each of await tree.processes()) owners.set(nameOf(each), ownerPath(tree))
  })
  await atMost(PATIENCE, Promise.all(asked))
  return owners
}

function nameOf({ pid, startTime }: ProcessInfo): string {
  return `${pid}:${startTime}`
}

function refused(errno: number): ProcleashError {
  const value = process.pid
  switch (errno) {
    case BUSY:
      return new SubreaperError('This process adopts orphans already', {
        code: 'ERR_PROCLEASH_SUBREAPER_ON',
        value,
        fix: 'Use what the first enableSubreaper() gave, or call its disable() before',
      })
    case OTHER_THREAD:
      return new SubreaperError('Only the first thread of a process can adopt orphans', {
        code: 'ERR_PROCLEASH_WORKER',
        value,
        fix: 'Call enableSubreaper() in the main thread, not in a worker',
      })
    case NO_PROCFS:
      return new ProcfsError('/proc belongs to another PID namespace, or is not mounted', {
        code: 'ERR_PROCLEASH_PROCFS',
        value,
        fix: 'Mount a /proc of this PID namespace: unshare --mount-proc, or mount -t proc proc /proc',
      })
    default: {
      const code = errnoName(errno)
      return new SubreaperError(`The kernel refuses: ${code}`, { code, value, fix: errnoFix(code) })
    }
  }
}
