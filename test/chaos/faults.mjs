// The faults of a chaos run: each is brought about, and what it has to end is waited for.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { longest, restingOf, startedOf, untilGone, withTimeout } from './gone.mjs'
import { end, helpersOf, isAlive, see, signal } from './look.mjs'
import { targetsOf } from './plan.mjs'

/** For what a host does at once. */
export const ANSWER = 10_000

/** @typedef {import('./gone.mjs').Stage} Stage */

/** @param {Stage} stage */
export async function strike(stage) {
  const { fault } = stage.round
  switch (fault.type) {
    case 'signal':
      process.kill(stage.host.pid, fault.signal)
      return afterHost(stage)
    case 'ending':
      return endHost(stage, fault.how)
    case 'loss':
      return lose(stage, fault)
    case 'action':
      return act(stage, fault.action)
    case 'timeout':
      return untilGone(stage, withTimeout(stage), longest(stage, withTimeout(stage)), 'timed out')
    case 'worker':
      return endWorker(stage, fault.how)
    case 'blocked':
      return blocked(stage, fault)
  }
}

/**
 * @param {Stage} stage
 * @param {string} how
 */
async function endHost(stage, how) {
  const { host, watch, fail } = stage
  host.tell('end', { how })
  if (how === 'natural') host.closeInput()
  if (how !== 'execve') return afterHost(stage)
  if (!(await watch.until(() => see(host.pid)?.comm === 'sleep', ANSWER))) fail('the host did not exec')
  await untilGone(stage, undefined, longest(stage), 'the host has become another program')
  end(host)
  await host.ended
}

/** @param {Stage} stage */
async function afterHost(stage) {
  const { host, watch, fail } = stage
  if (!(await watch.until(() => !host.isRunning(), ANSWER))) {
    fail(`the host has not ended after ${ANSWER} ms`)
    end(host)
    await host.ended
  }
  await untilGone(stage, undefined, longest(stage), 'the host is gone')
}

/**
 * SIGKILL of two of host, supervisor and keepers, or of one: the keepers of some trees, or all.
 *
 * @param {Stage} stage
 * @param {Extract<import('./plan.mjs').Fault, { type: 'loss' }>} fault
 */
async function lose(stage, { parts, keepers: share, chosen }) {
  const { host, round, watch, fail } = stage
  let found = helpersOf(host.pid)
  await watch.until(() => {
    found ??= helpersOf(host.pid)
    return found !== undefined
  }, ANSWER)
  if (found === undefined) return fail('the host has no supervisor')
  const { supervisor, keepers } = found
  const from = Math.floor(chosen * keepers.length)
  const victims = [...keepers, ...keepers].slice(from, from + Math.ceil(keepers.length * share))
  const numbers = new Set(victims.map(({ pid }) => pid))
  const living = new Set(keepers.map(({ pid }) => pid))
  // One whose keeper can't be told, because it is just being started or was short, may have been hit.
  const certainly = round.trees
    .map(({ index }) => index)
    .filter((index) => numbers.has(watch.keepers.get(index) ?? 0))
  const perhaps = round.trees
    .map(({ index }) => index)
    .filter((index) => {
      const keeper = watch.keepers.get(index)
      return keeper === undefined || !living.has(keeper) || numbers.has(keeper)
    })

  watch.loseSupervisor()
  if (parts.includes('supervisor')) watch.mayEndAll('supervisor-lost')
  else watch.mayEnd(perhaps, 'supervisor-lost')
  if (parts.includes('keeper') && parts.includes('supervisor')) watch.loseBoth(perhaps)
  for (const part of parts) {
    if (part === 'host') signal(host, 'SIGKILL')
    else if (part === 'supervisor') signal(supervisor, 'SIGKILL')
    else for (const keeper of victims) signal(keeper, 'SIGKILL')
  }

  if (parts.includes('host')) return afterHost(stage)
  const gone = parts.includes('supervisor') ? [...watch.started.keys()] : certainly
  await untilGone(stage, new Set(gone), longest(stage), 'lost')
  // A spawn that meets a dying supervisor may be refused; the next one may not.
  const killed = [...(parts.includes('supervisor') ? [supervisor] : []), ...victims]
  if (!(await watch.until(() => !killed.some(isAlive), ANSWER))) fail('SIGKILL has not ended the helpers')
  host.tell('again')
  if (!(await watch.event('again', ANSWER))) return fail('the host starts nothing after its loss')
  const again = watch.events().find(({ event }) => event === 'again')
  if (again?.exit?.code !== 5) fail(`after the loss a command ends with ${JSON.stringify(again)}`)
}

/**
 * Nobody has to go because of a signal.
 *
 * @param {Stage} stage
 * @param {import('./plan.mjs').Action | null} action
 */
function mustGo(stage, action) {
  const stops = action !== null && action.how !== 'kill'
  return startedOf(stage, stops ? targetsOf(stage.round, action) : [])
}

/**
 * @param {Stage} stage
 * @param {import('./plan.mjs').Action} action
 */
async function act(stage, action) {
  const { host, watch } = stage
  const targets = mustGo(stage, action)
  watch.announce(action, restingOf(stage))
  host.tell('act', { action })
  await untilGone(stage, targets, longest(stage, targets, action), action.how)
}

/**
 * @param {Stage} stage
 * @param {'terminate' | 'exit' | 'throw' | 'close'} how
 */
async function endWorker(stage, how) {
  const { host, round, watch, fail } = stage
  host.tell('worker', { how })
  if (!(await watch.event('worker gone', ANSWER))) return fail(`the worker has not ended (${how})`)
  const own = new Set(round.trees.filter(({ thread }) => thread === 'worker').map(({ index }) => index))
  await untilGone(stage, own, longest(stage, own), 'its worker is gone')
}

/**
 * @param {Stage} stage
 * @param {Extract<import('./plan.mjs').Fault, { type: 'blocked' }>} fault
 */
async function blocked(stage, { how, action }) {
  const { host, watch, folder, fail } = stage
  const targets = mustGo(stage, action)
  const timed = withTimeout(stage)
  if (action !== null) watch.announce(action, restingOf(stage))
  const file = join(folder, 'seen-enough')
  host.tell('blocked', { how, action, file })
  if (!(await watch.event('blocked', ANSWER))) return fail('the host does not block')
  const both = new Set([...targets, ...timed])
  const budget = Math.max(longest(stage, targets, action ?? undefined), longest(stage, timed))
  await untilGone(stage, both, budget, 'while the host was blocked')
  if (watch.events().some(({ event }) => event === 'unblocked'))
    fail('the host was not blocked for long enough')
  writeFileSync(file, '')
  if (!(await watch.event('unblocked', ANSWER))) fail('the host stays blocked')
}
