// One tree with a keeper, from the request to the last record. It owns the native handle: sends requests with it only
// while native code knows it, and forgets it once it is closed. It turns records into promises; what a caller sees of
// them is decided in subprocess.ts and run.ts.

import { setTimeout } from 'node:timers'
import { MessageType, REASONS, Stream } from '../bindings/native.js'
import { deferred } from './deferred.js'
import { answerError, startError } from './failure.js'
import { watchFailure } from './foreign.js'
import { createInspection } from './inspection.js'
import { holdLoop } from './loop-hold.js'
import { createNativeOutputs } from './native-outputs.js'
import type { SpawnPlan } from './options.js'
import { absolutePath } from './paths.js'
import type { Port, Reactor } from './reactor.js'
import { isPipe, requestSpawn } from './request.js'
import type { RuntimeChild } from './runtime-child.js'
import { unknownSettlement, withCommandArgv } from './settlement.js'
import type { StopRequest, Tree, TreeState } from './tree.js'
import { newTreeId } from './tree-id.js'
import type { Exit, Settlement, SettleReason } from './types.js'
import { createWatchdog } from './watchdog.js'
import { decodeExited, decodeFailed, decodeReason, decodeSettled, decodeStarted } from './wire.js'
import { createInput } from './writable.js'

/** A tree's life. `failed` and `settled` are ends; nothing is sent to native code in them. */
type Phase = 'starting' | 'failed' | 'running' | 'settled'

/** Milliseconds after the tree's end in which a runtime tells of its child's. */
const LAST_EXIT = 1000

/** Sends the request. Throws a typed error when native code refuses it. */
export function startTree(reactor: Reactor, plan: SpawnPlan): Tree {
  return followTree(reactor, requestSpawn(reactor, plan), plan, null)
}

/** `child`: of a tree that runs already, who tells of its command's end; `null` where the keeper does. */
export function followTree(
  reactor: Reactor,
  handle: number,
  plan: SpawnPlan,
  child: RuntimeChild | null,
): Tree {
  const { native } = reactor

  const started = deferred<number>()
  const exited = deferred<Exit>()
  const drained = deferred()
  const stopping = deferred<SettleReason>()
  const escalating = deferred<SettleReason>()
  const gone = deferred()
  const settled = deferred<Settlement>()

  let phase: Phase = 'starting'
  let commandPid = 0
  let closed = false
  let taken = plan.collect === null
  let stopRequest: StopRequest | undefined
  let pendingDeadline = Infinity
  let isGone = false
  let commandEnded = false
  let isStopping = false
  const loop = holdLoop(reactor.hold)
  const inspection = createInspection(reactor, handle)
  const input = isPipe(plan.stdio[Stream.stdin]) ? createInput(reactor, handle) : null
  const outputs = createNativeOutputs(reactor, handle, plan)

  const watchdog = createWatchdog(() => native.giveUp(handle))
  const send = (budget: number, reason: SettleReason): void => {
    if (native.stop(handle, budget, REASONS.indexOf(reason))) watchdog.expect(budget)
  }

  const forgetIfDone = (): void => {
    if (closed && (taken || phase === 'failed')) native.forget(handle)
  }

  const settle = (settlement: Settlement): void => {
    if (settlement.outcome === 'empty') goneNow()
    // A second one tells of survivors that ended later; the first was the answer.
    if (phase === 'settled') return
    phase = 'settled'
    watchdog.answered()
    endCommand()
    if (settlement.escalated) escalating.resolve(settlement.reason)
    drained.resolve()
    settled.resolve(settlement)
    inspection.end()
    input?.end(0)
    outputs.treeEnded()
    loop.release()
  }

  /** At the latest now. A runtime that was just about to tell of its child's end gets the time to. */
  const endCommand = (): void => {
    const unknown = { code: null, signal: null }
    if (child === null) exited.resolve(unknown)
    else setTimeout(() => exited.resolve(child.exit() ?? unknown), LAST_EXIT).unref()
  }

  const goneNow = (): void => {
    isGone = true
    gone.resolve()
  }

  const onStarted = (pid: number): void => {
    phase = 'running'
    commandPid = pid
    started.resolve(pid)
    if (stopRequest !== undefined) send(Math.max(0, pendingDeadline - performance.now()), stopRequest.reason)
  }

  const onFailed = (payload: ArrayBuffer): void => {
    phase = 'failed'
    const failure = decodeFailed(payload)
    started.reject(
      child === null
        ? startError(failure, plan, reactor.helperPath)
        : watchFailure(failure, child.pid ?? 0, reactor.helperPath),
    )
    loop.release()
  }

  const port: Port = {
    data: outputs.push,
    ended: (number, errno) => {
      if (number === Stream.stdin) input?.end(errno)
      else outputs.end(number, errno)
    },
    message: (type, payload) => {
      switch (type) {
        case MessageType.started:
          if (child === null) onStarted(decodeStarted(payload))
          return
        case MessageType.recording:
          return onStarted(child?.pid ?? 0)
        case MessageType.failed:
          return onFailed(payload)
        case MessageType.exited:
          commandEnded = true
          // A watcher knows no status.
          if (child === null) exited.resolve(decodeExited(payload))
          return
        case MessageType.stopping:
          isStopping = true
          return stopping.resolve(decodeReason(payload))
        case MessageType.escalating:
          return escalating.resolve(decodeReason(payload))
        case MessageType.settled:
          return settle(withCommandArgv(decodeSettled(payload), commandPid, plan))
        case MessageType.processes:
          return inspection.answered(payload)
      }
    },
    written: () => input?.written(),
    drained: () => drained.resolve(),
    closed: () => {
      closed = true
      if (phase === 'running') settle(unknownSettlement())
      goneNow()
      forgetIfDone()
    },
    failed: (error) => {
      if (phase === 'failed' || phase === 'settled') return
      send(0, 'stop')
      // A keeper that is not to be understood is not to be relied on: native code ends the tree without it.
      native.giveUp(handle)
      if (phase === 'running') {
        settle(unknownSettlement())
      } else {
        phase = 'failed'
        started.reject(answerError(error, reactor.helperPath))
        loop.release()
      }
    },
  }
  reactor.attach(handle, port)
  void child?.ended.then((exit) => {
    commandEnded = true
    exited.resolve(exit)
  })

  const state = (): TreeState => {
    if (phase === 'starting') return 'starting'
    if (phase === 'running') {
      if (isStopping || stopRequest !== undefined) return 'stopping'
      return commandEnded ? 'exited' : 'running'
    }
    return phase === 'settled' && !isGone ? 'survivors' : 'ended'
  }

  return {
    id: newTreeId(),
    plan,
    requestedAt: Date.now(),
    cwd: child === null ? absolutePath(plan.cwd) : '',
    stdin: input?.stream ?? null,
    get stdout() {
      return outputs.stream(Stream.stdout)
    },
    get stderr() {
      return outputs.stream(Stream.stderr)
    },
    started: started.promise,
    exited: exited.promise,
    drained: drained.promise,
    stopping: stopping.promise,
    escalating: escalating.promise,
    settled: settled.promise,
    gone: gone.promise,
    outputEnded: outputs.ended,
    isSettled: () => phase === 'settled',
    state,
    pid: () => (commandPid === 0 ? null : commandPid),
    stopRequest: () => stopRequest,
    stop: (budget, reason, why) => {
      if (phase !== 'starting' && phase !== 'running') return
      stopRequest ??= { reason, why, time: Date.now() }
      if (phase === 'running') send(budget, reason)
      else pendingDeadline = Math.min(pendingDeadline, performance.now() + budget)
    },
    kill: (signo) => phase === 'running' && native.signal(handle, signo),
    processes: () => (phase === 'running' ? inspection.ask() : Promise.resolve([])),
    ref: () => {
      if (phase !== 'settled') loop.take()
    },
    unref: loop.release,
    isOutputOpen: outputs.isOpen,
    takeCollected: () => {
      const collected = outputs.take()
      taken = true
      forgetIfDone()
      return collected
    },
  }
}
