// What is known of one round while it runs: what the host said of each tree, and what may have ended it.

import { setTimeout as pause } from 'node:timers/promises'
import { judgeExit, judgeOutput, judgeStanding, survivorsOf } from '../properties/judge.mjs'
import { mayBeHungUp } from '../properties/script.mjs'
import { findLies, judgeSettlement } from './judge.mjs'
import { carriersOf, carries, describe, see, unmarkedOf, userOf } from './look.mjs'
import { targetsOf } from './plan.mjs'
import { REASONS } from './reasons.mjs'

/** A look costs some ten milliseconds: settlements that come together share one. */
const LOOK_GAP = 30

/**
 * @typedef {import('./look.mjs').Carrier} Carrier
 * @typedef {object} Watch
 * @property {string[]} problems
 * @property {ReadonlyMap<number, number>} started Index of a tree to the pid of its command; 0: not told.
 * @property {ReadonlyMap<number, number | undefined>} keepers Index of a started tree to the parent of its command.
 * @property {ReadonlyMap<number, import('./judge.mjs').Told>} settled
 * @property {(index: number) => boolean} isOver It has settled, or was never started.
 * @property {(action: import('./plan.mjs').Action, standing: readonly number[]) => void} announce From now on it may end trees.
 * @property {(standing: readonly number[]) => void} announceFinish
 * @property {() => void} judgeOutputs Once the readers have come to the end.
 * @property {() => number[]} unclosed Trees that have settled and whose readers wait on.
 * @property {(indices: readonly number[], reason: string) => void} mayEnd
 * @property {(index: number) => boolean} mayHaveLost
 * @property {(reason: string) => void} mayEndAll
 * @property {(indices: readonly number[]) => void} loseBoth Keeper and supervisor: only a cgroup still finds a process
 *   that has no mark and a session of its own. Such ones are not promised to be ended, and not among the living.
 * @property {() => Carrier[]} outside Those.
 * @property {() => void} loseSupervisor Starts may fail because of it.
 * @property {(name: string, most: number) => Promise<boolean>} event The host has said so.
 * @property {() => import('./host.mjs').HostEvent[]} events
 * @property {(condition: () => boolean, most: number) => Promise<boolean>} until
 * @property {(index?: ReadonlySet<number>) => Carrier[]} living What is alive of these trees, or of the host and all of its trees.
 * @property {() => void} lookForLies
 * @property {() => void} close
 */

/**
 * @param {import('./host.mjs').ChaosHost} host
 * @param {import('./plan.mjs').Round} round
 * @param {string} folder
 * @returns {Watch}
 */
export function createWatch(host, round, folder) {
  /** @type {string[]} */
  const problems = []
  const started = new Map()
  const keepers = new Map()
  const settled = new Map()
  const failed = new Map()
  /** @type {import('./host.mjs').HostEvent[]} */
  const events = []
  const reasons = round.trees.map(({ timeout }) => new Set(timeout === null ? ['exit'] : ['exit', 'timeout']))
  /** Trees whose keeper and supervisor were killed together. */
  const lost = new Set()
  const refusals = new Set(['NOT_BEGUN'])
  /** Trees that something was done to, in the state that they were found in. @type {Map<number, 'standing' | 'any'>} */
  const touched = new Map()
  /** The budget that a standing tree is stopped with, if the action names one. @type {Map<number, number | null>} */
  const budgets = new Map()
  /** @type {Map<number, NodeJS.Signals>} */
  const signalled = new Map()
  const revoked = new Set()
  /** Bytes of a tree's standard output, once its reader has come to the end. @type {Map<number, number>} */
  const outputs = new Map()
  const ends = { stdout: outputs, stderr: new Map() }
  for (const { index, script = '' } of round.trees) if (mayBeHungUp(script)) signalled.set(index, 'SIGHUP')
  let lastLook = 0
  /** @type {NodeJS.Timeout | undefined} */
  let nextLook

  host.listen((event) => {
    events.push(event)
    const tree = round.trees[event.index]
    switch (event.event) {
      case 'started':
        host.proven = true
        started.set(event.index, event.pid)
        // Now: the command may be gone, and its keeper not, when this is asked.
        keepers.set(event.index, see(event.pid)?.ppid)
        return
      case 'settled': {
        const told = /** @type {any} */ (event)
        if (settled.has(event.index)) problems.push(`tree ${event.index} settled twice`)
        settled.set(event.index, told)
        if (tree !== undefined) judge(tree, told)
        lookSoon()
        return
      }
      case 'failed':
        failed.set(event.index, event)
        if (!refusals.has(event.code)) {
          problems.push(
            `tree ${event.index} (${tree?.shape}) was not started: ${event.code} ${event.message}`,
          )
        }
        return
      case 'closed':
        ends[/** @type {'stdout' | 'stderr'} */ (event.name)].set(event.index, event.bytes)
        return
      case 'trouble':
        problems.push(`the host has trouble: ${event.what}: ${event.message}`)
    }
  })

  const judge = (
    /** @type {import('./plan.mjs').PlannedTree} */ tree,
    /** @type {import('./judge.mjs').Told} */ told,
  ) => {
    const { index, script } = tree
    const signal = signalled.get(index)
    const survivors = host.user === undefined ? [0, 0] : survivorsOf(tree)
    problems.push(
      ...judgeSettlement(tree, told, reasons[index] ?? new Set(), {
        signalled: signal !== undefined,
        forbidden: survivors[1] ?? 0,
      }),
    )
    if (script === undefined || told.settlement.reason === 'supervisor-lost') return
    problems.push(...judgeExit(tree, told, signal))
    if (touched.get(index) === 'standing' && told.settlement.reason !== 'exit')
      problems.push(...judgeStanding(tree, told, budgets.get(index) ?? null, host.user === undefined))
  }

  const judgeBytes = (/** @type {import('./plan.mjs').PlannedTree} */ tree) => {
    const bytes = outputs.get(tree.index)
    if (tree.script === undefined || bytes === undefined || revoked.has(tree.index)) return
    const reason = settled.get(tree.index)?.settlement.reason
    const state = reason === 'supervisor-lost' ? 'any' : (touched.get(tree.index) ?? 'any')
    problems.push(...judgeOutput(tree, bytes, reason === 'exit' ? 'exit' : state))
  }

  /** Without a mark and in another session: not even a search finds it. */
  const isUnfindable = (/** @type {Carrier} */ { pid, tree, session }) => {
    const index = indexOf(round.number, tree)
    if (!lost.has(index) || session === started.get(index)) return false
    // The environment of root's processes is nobody else's to read.
    return !carries(pid, host.mark) || (host.user !== undefined && userOf(pid) === 0)
  }
  /** What the host can't find or may not signal is not promised to be ended. */
  const isOutside = (/** @type {Carrier} */ carrier) => isUnfindable(carrier) || isForbidden(carrier)
  const isHelper = (/** @type {Carrier} */ { comm, tree }) => tree === '' && comm.startsWith('procleash-')
  const isForbidden = (/** @type {Carrier} */ carrier) =>
    host.user !== undefined && carrier.tree !== '' && userOf(carrier.pid) === 0

  const seeAll = () => {
    const unmarked = unmarkedOf(folder, round.number)
    const numbers = new Set(unmarked.map(({ pid }) => pid))
    return [...carriersOf(host.mark).filter(({ pid }) => !numbers.has(pid)), ...unmarked]
  }

  /** @type {Watch['living']} */
  const living = (indices) => {
    const seen = seeAll()
    // A keeper stays as long as its survivors do, and the supervisor with it.
    const helpersMayStay = seen.some(isForbidden)
    const all = seen.filter((carrier) => !isOutside(carrier) && !(helpersMayStay && isHelper(carrier)))
    if (indices === undefined) return all
    return all.filter(({ tree }) => indices.has(indexOf(round.number, tree)))
  }

  const lookForLies = () => {
    // First what is told, then the look: who is alive afterwards was so before.
    const told = new Map(settled)
    const refused = new Set(failed.keys())
    const seen = seeAll().filter((carrier) => !isUnfindable(carrier))
    problems.push(...findLies(round.number, told, seen))
    for (const carrier of seen) {
      if (refused.has(indexOf(round.number, carrier.tree)))
        problems.push(`its start was said to have failed: ${describe(carrier)}`)
    }
  }

  const lookSoon = () => {
    nextLook ??= setTimeout(
      () => {
        nextLook = undefined
        lastLook = performance.now()
        lookForLies()
      },
      Math.max(1, lastLook + LOOK_GAP - performance.now()),
    )
  }

  /** What survives keeps its pipes. */
  const mayKeepOpen = (/** @type {import('./plan.mjs').PlannedTree | undefined} */ tree) =>
    host.user !== undefined && tree !== undefined && (survivorsOf(tree)[1] ?? 0) > 0

  const touch = (
    /** @type {number} */ index,
    /** @type {readonly number[]} */ standing,
    /** @type {number | null} */ budget,
  ) => {
    if (touched.has(index)) return
    touched.set(index, standing.includes(index) && !signalled.has(index) ? 'standing' : 'any')
    budgets.set(index, budget)
  }

  const mayEnd = (/** @type {readonly number[]} */ indices, /** @type {string} */ reason) => {
    for (const index of indices) reasons[index]?.add(reason)
    if (reason === 'abort') refusals.add('ABORT_ERR')
    if (reason === 'owner-released') refusals.add('ERR_PROCLEASH_OWNER_RELEASED')
  }

  const until = async (/** @type {() => boolean} */ condition, /** @type {number} */ most) => {
    const end = performance.now() + most
    while (!condition()) {
      if (performance.now() > end) return false
      await pause(3)
    }
    return true
  }

  return {
    problems,
    started,
    keepers,
    settled,
    isOver: (index) => settled.has(index) || failed.has(index),
    announce(action, standing) {
      const targets = targetsOf(round, action)
      for (const index of targets) {
        touch(index, standing, 'budget' in action ? action.budget : null)
        // A signal may do a stop's work, and nothing is heard of what is revoked.
        if (action.how === 'kill') signalled.set(index, action.signal)
        if (action.how === 'kill') touched.set(index, 'any')
        if (action.how === 'revoke') revoked.add(index)
      }
      mayEnd(targets, REASONS[action.how])
    },
    announceFinish(standing) {
      for (const { index } of round.trees) touch(index, standing, 0)
    },
    unclosed: () =>
      round.trees
        .filter(({ index, output, way, thread }) => {
          const isRead = output === 'read' && way === 'spawn' && thread === 'main'
          return isRead && !mayKeepOpen(round.trees[index]) && started.has(index) && settled.has(index)
        })
        .map(({ index }) => index)
        .filter((index) => !ends.stdout.has(index) || !ends.stderr.has(index)),
    mayEnd,
    mayHaveLost: (index) => reasons[index]?.has('supervisor-lost') ?? false,
    mayEndAll: (reason) =>
      mayEnd(
        round.trees.map(({ index }) => index),
        reason,
      ),
    loseBoth(indices) {
      for (const index of indices) lost.add(index)
    },
    outside: () => seeAll().filter(isOutside),
    loseSupervisor() {
      refusals.add('ERR_PROCLEASH_SUPERVISOR_LOST')
      // The first one that a host starts: one that is killed then is no other than one that is broken.
      if (!host.proven) refusals.add('ERR_PROCLEASH_HELPER_FAILED')
    },
    judgeOutputs: () => round.trees.forEach(judgeBytes),
    event: (name, most) => until(() => events.some(({ event }) => event === name), most),
    events: () => events,
    until,
    living,
    lookForLies,
    close() {
      clearTimeout(nextLook)
      host.listen(() => {})
    },
  }
}

/**
 * @param {number} round
 * @param {string} tree
 */
function indexOf(round, tree) {
  return tree.startsWith(`${round}.`) ? Number(tree.slice(`${round}.`.length)) : -1
}
