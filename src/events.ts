// What happens to trees, on diagnostics_channel, for logs and telemetry: see docs/events.md. It only tells: nothing
// waits for a subscriber, and without one an event costs a look at a flag.

import { type Channel, channel } from 'node:diagnostics_channel'
import { ownerPath } from './owners/node.js'
import type { Tree } from './tree.js'
import type { Exit, Settlement, SettleReason } from './types.js'

/** Part of every event. Arguments and environment are not: they may hold secrets. Of processes in a settlement: their name. */
export interface TreeEvent {
  /** The tree's id, as on {@link Subprocess}. */
  readonly id: string
  readonly pid: number
  /** Ids of the owners from the root down, as they are now; empty when nobody owns the tree. */
  readonly owner: readonly string[]
  readonly kind: string | undefined
  readonly label: string | undefined
  readonly file: string
  /** When the spawn was asked for, in milliseconds since the epoch. */
  readonly startedAt: number
  /** When this was known here, in milliseconds since the epoch. */
  readonly time: number
}

/** `procleash:spawn`: the command runs. Its start has failed when there is no such event. */
export interface SpawnEvent extends TreeEvent {}

/** `procleash:exit`: the command's own end; descendants may still run. */
export interface ExitEvent extends TreeEvent, Exit {}

/** `procleash:stop`: the keeper has begun to stop the tree. */
export interface StopEvent extends TreeEvent {
  readonly reason: SettleReason
  /** `reason` of `stop()` or `release()`, the caller's own words. */
  readonly message: string | undefined
  /** When the stop was asked for here; `undefined` for one that the keeper began by itself (a timeout, leftovers). */
  readonly requestedAt: number | undefined
}

/** `procleash:escalate`: the grace of a stop is over, and SIGKILL was sent to what is left. */
export interface EscalateEvent extends TreeEvent {
  readonly reason: SettleReason
}

/** `procleash:lost`: the keeper or the supervisor was killed; told before `procleash:settle`. */
export interface LostEvent extends TreeEvent {
  readonly settlement: Settlement
}

/** `procleash:settle`: the tree's end. */
export interface SettleEvent extends TreeEvent {
  readonly settlement: Settlement
}

const channels = {
  spawn: channel('procleash:spawn'),
  exit: channel('procleash:exit'),
  stop: channel('procleash:stop'),
  escalate: channel('procleash:escalate'),
  lost: channel('procleash:lost'),
  settle: channel('procleash:settle'),
}

/**
 * Call it before the tree is handed to anyone: an event then comes before its promise reaches a caller.
 * @internal
 */
export function publishLife(tree: Tree): void {
  void tree.started.then(
    (pid) => {
      publish(channels.spawn, tree, pid, (about): SpawnEvent => about)
      void tree.exited.then((exit) =>
        publish(channels.exit, tree, pid, (about): ExitEvent => ({ ...about, ...exit })),
      )
      void tree.stopping.then((reason) =>
        publish(channels.stop, tree, pid, (about): StopEvent => ({ ...about, ...stopDetails(tree, reason) })),
      )
      void tree.escalating.then((reason) =>
        publish(channels.escalate, tree, pid, (about): EscalateEvent => ({ ...about, reason })),
      )
      void tree.settled.then((settlement) => publishEnd(tree, pid, settlement))
    },
    () => {},
  )
}

function publishEnd(tree: Tree, pid: number, settlement: Settlement): void {
  if (settlement.reason === 'supervisor-lost')
    publish(channels.lost, tree, pid, (about): LostEvent => ({ ...about, settlement: named(settlement) }))
  publish(channels.settle, tree, pid, (about): SettleEvent => ({ ...about, settlement: named(settlement) }))
}

/** Of the arguments of each process the first: what it was started as. */
function named(settlement: Settlement): Settlement {
  const nameOnly = <Process extends { readonly argv: readonly string[] }>(process: Process): Process => ({
    ...process,
    argv: process.argv.slice(0, 1),
  })
  return {
    ...settlement,
    ended: settlement.ended.map(nameOnly),
    survivors: settlement.survivors.map(nameOnly),
  }
}

/** The first reason stays, so a request for another one came later, and explains nothing. */
function stopDetails(
  tree: Tree,
  reason: SettleReason,
): Pick<StopEvent, 'reason' | 'message' | 'requestedAt'> {
  const request = tree.stopRequest()
  const asked = request?.reason === reason ? request : undefined
  return { reason, message: asked?.why, requestedAt: asked?.time }
}

function publish<Event extends TreeEvent>(
  to: Channel,
  tree: Tree,
  pid: number,
  complete: (about: TreeEvent) => Event,
): void {
  if (!to.hasSubscribers) return
  const { kind, label, file } = tree.plan
  const about = {
    id: tree.id,
    pid,
    owner: ownerPath(tree),
    kind,
    label,
    file,
    startedAt: tree.requestedAt,
    time: Date.now(),
  }
  to.publish(complete(about))
}
