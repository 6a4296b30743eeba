// Records the tree of a process that somebody else started. A watcher, which is a process of its own, records and
// stops; this is the conversation with it.

import { MessageType, REASONS, WatchFlag, WatchParam } from '../bindings/native.js'
import { deferred } from './deferred.js'
import { answerError, watchCallError } from './failure.js'
import { refusalError, watchFailure } from './foreign.js'
import { createInspection } from './inspection.js'
import { holdLoop } from './loop-hold.js'
import { checkBudget, checkReason, DEFAULT_BUDGET } from './options.js'
import { getReactor, type Port, type Reactor } from './reactor.js'
import { unknownSettlement } from './settlement.js'
import { signalNumber } from './signals.js'
import type { ProcessInfo, Recording, Settlement, StopOptions, TreeWatch, WatchTreeOptions } from './types.js'
import { checkCount, checkObject, checkOneOf, checkPid } from './validate.js'
import { createWatchdog } from './watchdog.js'
import { decodeFailed, decodeRecording, decodeSettled } from './wire.js'

const mayMiss: Readonly<Record<Recording, string>> = {
  polling:
    'a process that leaves its session and group and whose parent ends before the next look (2 to 25 ms, longer on a busy machine)',
  events:
    'nothing, unless more is forked at once than the queue of the kernel holds; then as with polling, for a moment',
}

/**
 * Records the tree of a process that procleash did not start: every descendant with its identity, while it runs, so that
 * they are still known when their parents have been killed. What was recorded is stopped when the watched process ends,
 * when this process ends in whatever way, and when it is asked for. A process of its own does all that, and a blocked
 * event loop changes nothing. Resolves when the recording has begun; what left the tree before is not in it.
 *
 * @throws {NoSuchProcessError} `ESRCH`: no such process, or not the one of `startTime`.
 * @throws {ForbiddenTargetError} for what {@link stopTree} refuses.
 * @throws {ProcfsError} when /proc can't be read.
 * @throws {InvalidOptionError} when an option is not valid.
 * @throws {HelperError} {@link SupervisorLostError}, {@link SpawnError}: the watcher could not be started.
 * @throws {NativeMissingError} when the addon can't be loaded.
 */
export async function watchTree(pid: number, options: WatchTreeOptions = {}): Promise<TreeWatch> {
  checkPid(pid, 'pid')
  checkObject(options, 'options')
  const { budget = DEFAULT_BUDGET } = options
  const params = encode(pid, budget, options)
  const reactor = getReactor()
  const handle = reactor.native.watchTree(params)
  const step = params[WatchParam.failedStep] ?? 0
  const detail = params[WatchParam.failedDetail] ?? 0
  if (handle < 0 && step === 0) throw refusalError(pid, handle)
  if (handle < 0) throw watchCallError({ errno: handle, step, detail }, pid, reactor.helperPath)
  return converse(reactor, handle, pid, budget)
}

function encode(pid: number, budget: number, options: WatchTreeOptions): Float64Array {
  const { startTime, stopSignal = 'SIGTERM', leftovers = 'stop', hostDeath = 'stop' } = options
  checkBudget(budget)
  if (startTime !== undefined) {
    checkCount(startTime, 'startTime', Number.MAX_SAFE_INTEGER, 'Give the startTime of a ProcessInfo')
  }
  checkOneOf(leftovers, 'leftovers', ['stop', 'keep'])
  checkOneOf(hostDeath, 'hostDeath', ['stop', 'keep'])
  const params = new Float64Array(WatchParam.count)
  params[WatchParam.pid] = pid
  params[WatchParam.startTime] = startTime ?? -1
  params[WatchParam.budget] = budget
  params[WatchParam.stopSignal] = signalNumber(stopSignal, 'stopSignal')
  params[WatchParam.flags] =
    (leftovers === 'keep' ? WatchFlag.keepLeftovers : 0) |
    (hostDeath === 'keep' ? WatchFlag.keepAtHostDeath : 0)
  return params
}

/** A watch's life. In the last two nothing is sent to native code. */
type Phase = 'starting' | 'recording' | 'failed' | 'over'

function converse(reactor: Reactor, handle: number, pid: number, ownBudget: number): Promise<TreeWatch> {
  const { native } = reactor
  const begun = deferred<TreeWatch>()
  const exited = deferred()
  const settled = deferred<Settlement | null>()
  const closed = deferred()
  const inspection = createInspection(reactor, handle)
  const watchdog = createWatchdog(() => native.giveUp(handle))
  let phase: Phase = 'starting'
  let startTime = 0
  let isReleased = false
  const loop = holdLoop(reactor.hold)

  const end = (last: Phase): void => {
    phase = last
    watchdog.answered()
    inspection.end()
  }

  const settle = (settlement: Settlement | null): void => {
    if (phase !== 'recording') return
    end('over')
    exited.resolve()
    settled.resolve(settlement)
    loop.release()
  }

  const fail = (error: unknown): void => {
    end('failed')
    begun.reject(error)
    loop.release()
  }

  const stop = (options: StopOptions = {}): Promise<Settlement | null> => {
    try {
      checkObject(options, 'options')
      const { budget = ownBudget, reason } = options
      checkBudget(budget)
      checkReason(reason)
      if (phase === 'recording' && native.stop(handle, budget, REASONS.indexOf('stop'))) {
        watchdog.expect(budget)
      }
    } catch (error) {
      return Promise.reject(error)
    }
    return settled.promise
  }

  const release = (): Promise<void> => {
    if (phase === 'recording' && !isReleased) {
      isReleased = true
      native.releaseWatch(handle)
    }
    return closed.promise
  }

  const face = (recording: Recording): TreeWatch => ({
    pid,
    startTime,
    recording,
    mayMiss: mayMiss[recording],
    exited: exited.promise,
    settled: settled.promise,
    stop,
    processes: (): Promise<ProcessInfo[]> => (phase === 'recording' ? inspection.ask() : Promise.resolve([])),
    release,
    ref: () => {
      if (phase === 'recording') loop.take()
    },
    unref: loop.release,
    [Symbol.asyncDispose]: async () => {
      await stop()
    },
  })

  const port: Port = {
    data: () => {},
    ended: () => {},
    written: () => {},
    drained: () => {},
    message: (type, payload) => {
      switch (type) {
        case MessageType.failed:
          return fail(watchFailure(decodeFailed(payload), pid, reactor.helperPath))
        case MessageType.recording: {
          const began = decodeRecording(payload)
          startTime = began.startTime
          phase = 'recording'
          return begun.resolve(face(began.recording))
        }
        case MessageType.exited:
          return exited.resolve()
        case MessageType.settled:
          return settle(decodeSettled(payload))
        case MessageType.processes:
          return inspection.answered(payload)
      }
    },
    closed: () => {
      settle(isReleased ? null : unknownSettlement())
      if (phase === 'starting') fail(answerError('it ended', reactor.helperPath))
      native.forget(handle)
      closed.resolve()
    },
    failed: (error) => {
      native.stop(handle, 0, REASONS.indexOf('stop'))
      settle(unknownSettlement())
      if (phase === 'starting') fail(answerError(error, reactor.helperPath))
    },
  }
  reactor.attach(handle, port)
  return begun.promise
}
