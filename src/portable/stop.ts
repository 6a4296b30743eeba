// A stop without a keeper: signal, wait, SIGKILL, wait, all on the host's event loop. It never waits a timer out that
// nobody needs, and never waits for longer than the deadline and some patience.

import { setTimeout } from 'node:timers'
import { SIGKILL, type Watch } from './watch.js'

/** Milliseconds between two questions whether somebody is left. */
const POLL = 10

/** Milliseconds between the end of one list and the next, while processes obey or don't. */
const LIST_GAP = 100

/** The part of the time for obeying that the first list may take. */
const FIRST_LIST = 4

/** Milliseconds beyond the deadline in which what was killed is waited for, before it is named as a survivor. */
const PATIENCE = 1200
const LEAST_ROUNDS = 3

export interface Stop {
  /** By `performance.now()`; it may come nearer while the stop runs. */
  deadline(): number
  readonly signo: number
  /** SIGKILL is being sent. */
  escalating(): void
}

/** Ends with a list that has nobody of the tree, or with those who are left in spite of SIGKILL. */
export async function stop(watch: Watch, { deadline, signo, escalating }: Stop): Promise<void> {
  // SIGKILL needs its time, lists included: three of them, and no more than half of what there is.
  const begin = performance.now()
  const killAt = (): number => deadline() - Math.min(Math.max(50, 3 * watch.cost()), (deadline() - begin) / 2)

  if (killAt() > performance.now() && (await obeyed(watch, killAt, signo))) return
  escalating()
  await killed(watch, deadline)
}

async function obeyed(watch: Watch, killAt: () => number, signo: number): Promise<boolean> {
  // Who has left the group must be known before the first signal: it may part parents from children. Yet a machine
  // that is slow with its list must not use the budget up: then those get their signal later.
  const first = watch.look()
  const patience = (killAt() - performance.now()) / FIRST_LIST
  const hasList = await Promise.race([first.then(() => true), pause(patience).then(() => false)])
  watch.signalAll(signo)
  if (!hasList) void first.then(() => performance.now() < killAt() && watch.signalOutsiders(signo))
  let looking: Promise<unknown> | undefined
  let looked = performance.now()
  while (performance.now() < killAt()) {
    if (watch.isEmpty()) return true
    await pause(Math.min(POLL, killAt() - performance.now()))
    if (looking !== undefined) continue
    if (watch.seemsAlive() && performance.now() - looked < LIST_GAP) continue
    looking = watch.look().then(() => {
      looked = performance.now()
      looking = undefined
    })
    if (!watch.seemsAlive()) await looking
  }
  return watch.isEmpty()
}

async function killed(watch: Watch, deadline: () => number): Promise<void> {
  for (let round = 1; ; round += 1) {
    watch.signalAll(SIGKILL)
    await untilQuiet(watch)
    await watch.look()
    if (watch.isEmpty()) return
    const late = performance.now() - deadline()
    // Nothing will come of waiting for those who may not be signalled.
    if (late > 0 && watch.areDenied()) return
    // A list that took long is no sign that somebody resists.
    if (round >= LEAST_ROUNDS && late > PATIENCE) return
  }
}

/** A list costs more than asking a few times whether anybody is left. Zombies that nobody reaps must not hold it up. */
async function untilQuiet(watch: Watch): Promise<void> {
  const began = performance.now()
  while (watch.seemsAlive() && performance.now() - began < LIST_GAP) await pause(POLL)
}

/** Keeps no event loop alive: whoever waits for a tree holds it. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms)).unref()
  })
}
