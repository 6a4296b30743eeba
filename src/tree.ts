// One tree, from the request to the last record. It owns the native handle: sends requests with it only while native
// code knows it, and forgets it once it is closed. It turns records into promises; what a caller sees of them is
// decided in subprocess.ts and run.ts.

import { clearTimeout, setTimeout } from 'node:timers'
import { MessageType, REASONS, Stream } from '../bindings/native.js'
import { deferred } from './deferred.js'
import { answerError, startError } from './failure.js'
import { watchFailure } from './foreign.js'
import { createInspection } from './inspection.js'
import type { SpawnPlan } from './options.js'
import { absolutePath } from './paths.js'
import type { Port, Reactor } from './reactor.js'
import { createOutput, type Output } from './readable.js'
import { isPipe, requestSpawn } from './request.js'
import type { RuntimeChild } from './runtime-child.js'
import { unknownSettlement, withCommandArgv } from './settlement.js'
import { newTreeId } from './tree-id.js'
import type { Exit, ProcessInfo, Settlement, SettleReason } from './types.js'
import { createWatchdog } from './watchdog.js'
import { decodeExited, decodeFailed, decodeReason, decodeSettled, decodeStarted } from './wire.js'
import { createInput } from './writable.js'

/** A tree's life. `failed` and `settled` are ends; nothing is sent to native code in them. */
type Phase = 'starting' | 'failed' | 'running' | 'settled'

type OutputNumber = 1 | 2

/** Milliseconds after the tree's end in which the rest of its pipes is read: at most a megabyte each. */
const LAST_OUTPUT = 1000

/** Milliseconds after the tree's end in which a runtime tells of its child's. */
const LAST_EXIT = 1000

/** What was read natively of one output, in collect mode. */
export interface CollectedOutput {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** All bytes that came, dropped ones included. */
  readonly total: number
}

/** What collect mode has gathered. */
export interface Collected {
  readonly stdout: CollectedOutput
  readonly stderr: CollectedOutput
  /** Negative errno of the spill file, or 0. */
  readonly spillErrno: number
}

/** What a caller sees of a life: `exited` is a command that has ended with descendants that have not. */
export type TreeState = 'starting' | 'running' | 'exited' | 'stopping' | 'survivors' | 'ended'

/** A stop that this process has asked for. */
export interface StopRequest {
  readonly reason: SettleReason
  /** In the caller's words. */
  readonly why: string | undefined
  /** Milliseconds since the epoch. */
  readonly time: number
}

export interface Tree {
  readonly id: string
  readonly plan: SpawnPlan
  /** Milliseconds since the epoch. */
  readonly requestedAt: number
  /** Absolute; empty where the host's own is gone, and where procleash did not start the command. */
  readonly cwd: string
  readonly stdin: WritableStream<Uint8Array> | null
  readonly stdout: ReadableStream<Uint8Array> | null
  readonly stderr: ReadableStream<Uint8Array> | null
  /** The command's pid; rejects with a typed error when nothing was started. */
  readonly started: Promise<number>
  /** The command's own end, at the latest when the tree settles. */
  readonly exited: Promise<Exit>
  /** The command has ended and what it wrote was read; or the tree has settled. */
  readonly drained: Promise<void>
  /** The keeper has begun to stop the tree, and why. Never resolves when the tree ends without that. */
  readonly stopping: Promise<SettleReason>
  /** SIGKILL was sent, the stop's grace being over. Never resolves without it. */
  readonly escalating: Promise<SettleReason>
  readonly settled: Promise<Settlement>
  /** Nothing of the tree is left any more, survivors included, or its keeper is gone and nobody can know. */
  readonly gone: Promise<void>
  /** The tree has settled and no output comes any more. */
  readonly outputEnded: Promise<void>
  isSettled(): boolean
  state(): TreeState
  /** `null` while it is being started. */
  pid(): number | null
  /** The first stop that was asked for here. */
  stopRequest(): StopRequest | undefined
  /** Before the start it is remembered and sent right after; after the end it does nothing. */
  stop(budget: number, reason: SettleReason, why?: string): void
  kill(signo: number): boolean
  processes(): Promise<ProcessInfo[]>
  ref(): void
  unref(): void
  /** Whether this output is a pipe whose end has not come. */
  isOutputOpen(number: OutputNumber): boolean
  /** Collect mode: takes both outputs, once; native code may free them afterwards. */
  takeCollected(): Collected
}

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
  const [stdinPlan, stdoutPlan, stderrPlan] = plan.stdio

  const started = deferred<number>()
  const exited = deferred<Exit>()
  const drained = deferred()
  const stopping = deferred<SettleReason>()
  const escalating = deferred<SettleReason>()
  const gone = deferred()
  const settled = deferred<Settlement>()
  const outputEnded = deferred()

  let phase: Phase = 'starting'
  let commandPid = 0
  let closed = false
  let taken = plan.collect === null
  let stopRequest: StopRequest | undefined
  let pendingDeadline = Infinity
  let isGone = false
  let commandEnded = false
  let isStopping = false
  let release: (() => void) | undefined = reactor.hold()
  const inspection = createInspection(reactor, handle)
  const openOutputs = new Set<number>()
  const givenUp = new Set<number>()
  if (isPipe(stdoutPlan)) openOutputs.add(Stream.stdout)
  if (isPipe(stderrPlan)) openOutputs.add(Stream.stderr)

  const input = isPipe(stdinPlan) ? createInput(reactor, handle) : null
  const makeOutput = (number: OutputNumber): Output | null =>
    openOutputs.has(number) && plan.collect === null ? createOutput(reactor, handle, number) : null
  const outputs = [null, makeOutput(Stream.stdout), makeOutput(Stream.stderr)] as const

  const watchdog = createWatchdog(() => native.giveUp(handle))
  const send = (budget: number, reason: SettleReason): void => {
    if (native.stop(handle, budget, REASONS.indexOf(reason))) watchdog.expect(budget)
  }

  const forgetIfDone = (): void => {
    if (closed && (taken || phase === 'failed')) native.forget(handle)
  }

  const unhold = (): void => {
    release?.()
    release = undefined
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
    endOutputs()
    unhold()
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

  /**
   * Native code ends an output that is empty once the tree has settled, whoever still holds the pipe. One that never
   * gets empty is flooded by a survivor, or by a process that was never in the tree: nobody waits for that.
   */
  const endOutputs = (): void => {
    if (openOutputs.size === 0) {
      outputEnded.resolve()
      return
    }
    for (const output of outputs) output?.treeEnded()
    const timer = setTimeout(() => {
      // An event loop that was blocked runs its timers first: take in what has come before giving up.
      reactor.drain()
      closeOutputs()
    }, LAST_OUTPUT)
    timer.unref()
    void outputEnded.promise.then(() => clearTimeout(timer))
  }

  const closeOutputs = (): void => {
    for (const number of openOutputs) {
      givenUp.add(number)
      outputs[number]?.end(0)
      native.cancel(handle, number)
    }
    outputEnded.resolve()
  }

  const collectedTotal = (number: OutputNumber): number =>
    isPipe(plan.stdio[number]) ? native.collectedTotal(handle, number) : 0

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
    unhold()
  }

  const port: Port = {
    data: (number, bytes) => {
      outputs[number]?.push(bytes)
    },
    ended: (number, errno) => {
      if (number === Stream.stdin) {
        input?.end(errno)
        return
      }
      openOutputs.delete(number)
      outputs[number]?.end(errno)
      if (phase === 'settled' && openOutputs.size === 0) outputEnded.resolve()
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
        unhold()
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
      return outputs[Stream.stdout]?.stream() ?? null
    },
    get stderr() {
      return outputs[Stream.stderr]?.stream() ?? null
    },
    started: started.promise,
    exited: exited.promise,
    drained: drained.promise,
    stopping: stopping.promise,
    escalating: escalating.promise,
    settled: settled.promise,
    gone: gone.promise,
    outputEnded: outputEnded.promise,
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
      if (phase !== 'settled') release ??= reactor.hold()
    },
    unref: unhold,
    isOutputOpen: (number) => openOutputs.has(number) || givenUp.has(number),
    takeCollected: () => {
      const take = (number: OutputNumber): CollectedOutput => ({
        bytes: isPipe(plan.stdio[number])
          ? new Uint8Array(native.collected(handle, number))
          : new Uint8Array(),
        total: collectedTotal(number),
      })
      const collected = {
        stdout: take(Stream.stdout),
        stderr: take(Stream.stderr),
        spillErrno: -native.spillError(handle),
      }
      taken = true
      forgetIfDone()
      return collected
    },
  }
}
