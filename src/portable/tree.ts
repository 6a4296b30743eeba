// One tree without a keeper: the same face as the native one, carried out on the host's event loop. What it
// can't reach is said in docs/portable.md, and in each settlement by its proof.

import type { ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import { clearTimeout, setTimeout } from 'node:timers'
import { deferred } from '../deferred.js'
import { holdLoop } from '../loop-hold.js'
import type { SpawnPlan } from '../options.js'
import { absolutePath } from '../paths.js'
import type { StopRequest, Tree, TreeState } from '../tree.js'
import { newTreeId } from '../tree-id.js'
import type { Exit, Settlement, SettleReason, SignalName } from '../types.js'
import { startChild } from './child.js'
import { checkPermissions } from './deno.js'
import { openAll } from './files.js'
import { hold } from './hold.js'
import { killWithHost } from './host-end.js'
import { createPortableInput } from './input.js'
import { createOutputs } from './outputs.js'
import { settlementOf } from './settlement.js'
import { pause, stop } from './stop.js'
import { createWatch } from './watch.js'

/** Milliseconds that output may go on after the command's end. */
const LAST_OUTPUT = 2000
/** Milliseconds between two looks at what was kept, or has survived. */
const KEPT_POLL = 100
const SURVIVOR_POLL = 1000
const LIST_GAP = 3000

type Phase = 'failed' | 'running' | 'settled'

/** Throws a typed error when it can't even be tried. */
export function startPortableTree(plan: SpawnPlan): Tree {
  checkPermissions(plan.file)
  const id = newTreeId()
  const files = openAll(plan)
  const started = startChild(plan, id, files)
  files.close()
  if ('failed' in started) {
    if (files.spill >= 0) closeSync(files.spill)
    return failedTree(plan, id, started.failed)
  }
  return runningTree(plan, id, started.child, files.spill)
}

function runningTree(plan: SpawnPlan, id: string, child: ChildProcess, spill: number): Tree {
  const pid = child.pid ?? 0
  const exited = deferred<Exit>()
  const drained = deferred()
  const stopping = deferred<SettleReason>()
  const escalating = deferred<SettleReason>()
  const settled = deferred<Settlement>()
  const gone = deferred()
  const watch = createWatch(pid, id)
  const input = child.stdin === null ? null : createPortableInput(child.stdin)
  const outputs = createOutputs(
    [
      [1, child.stdout],
      [2, child.stderr],
    ],
    { maxOutput: plan.collect?.maxOutput ?? null, spill },
  )

  let phase: Phase = 'running'
  let exit: Exit | null = null
  let exitTime = 0
  let stopRequest: StopRequest | undefined
  let deadline = Infinity
  let isStopping = false
  let isGone = false
  const loop = holdLoop(hold)
  const forget = killWithHost(watch)

  const goneNow = (): void => {
    isGone = true
    forget()
    gone.resolve()
  }

  const settle = (reason: SettleReason, began: number, escalated: boolean): void => {
    const elapsed = performance.now() - began
    const settlement = settlementOf(watch, { pid, plan, exit, reason, escalated, elapsed })
    phase = 'settled'
    // Before anybody hears of the end: an owner lists what is not gone.
    const isEmpty = watch.isEmpty()
    if (isEmpty) goneNow()
    clearTimeout(timeout)
    exited.resolve({ code: null, signal: null })
    drained.resolve()
    settled.resolve(settlement)
    input?.end(0)
    outputs.treeEnded()
    loop.release()
    if (!isEmpty) void untilGone(SURVIVOR_POLL).then(goneNow)
  }

  const untilGone = async (every: number): Promise<void> => {
    for (let looked = performance.now(); ; await pause(every)) {
      // Zombies that nobody reaps answer to signals: only a list tells.
      if (watch.seemsAlive() && performance.now() - looked < LIST_GAP) continue
      await watch.look()
      if (watch.isEmpty()) return
      looked = performance.now()
    }
  }

  /** The one stop of this tree; a later request can only bring its deadline nearer. */
  const beginStop = async (budget: number, reason: SettleReason): Promise<void> => {
    deadline = Math.min(deadline, performance.now() + budget)
    if (isStopping) return
    isStopping = true
    const began = performance.now()
    let escalated = false
    stopping.resolve(reason)
    outputs.letFlow()
    await stop(watch, {
      deadline: () => deadline,
      signo: plan.stopSignal,
      escalating: () => {
        escalated = true
        escalating.resolve(reason)
      },
    })
    settle(reason, began, escalated)
  }

  const afterExit = async (): Promise<void> => {
    // What is left may end while the output is read; nobody comes to the tree once it is empty.
    await Promise.all([outputs.drained(LAST_OUTPUT), watch.look()])
    drained.resolve()
    if (!watch.isEmpty() && !watch.seemsAlive()) await watch.look()
    if (isStopping) return
    if (!watch.isEmpty()) {
      if (plan.leftovers === 'stop') return beginStop(plan.budget, 'exit')
      await untilGone(KEPT_POLL)
    }
    if (!isStopping) settle('exit', exitTime, false)
  }

  child.once('exit', (code, signal) => {
    exit = signal === null ? { code, signal } : { code: null, signal: signal as SignalName }
    exitTime = performance.now()
    clearTimeout(timeout)
    watch.commandEnded()
    exited.resolve(exit)
    void afterExit()
  })

  const timeout =
    plan.timeout < 0 ? undefined : setTimeout(() => void beginStop(plan.budget, 'timeout'), plan.timeout)
  timeout?.unref()
  void outputs.ended.then(() => {
    if (spill >= 0) closeSync(spill)
  })
  letLoopEnd(child)

  const state = (): TreeState => {
    if (phase === 'settled') return isGone ? 'ended' : 'survivors'
    if (isStopping) return 'stopping'
    return exit === null ? 'running' : 'exited'
  }

  return {
    id,
    plan,
    requestedAt: Date.now(),
    cwd: absolutePath(plan.cwd),
    stdin: input?.stream ?? null,
    get stdout() {
      return outputs.output(1)?.stream() ?? null
    },
    get stderr() {
      return outputs.output(2)?.stream() ?? null
    },
    started: Promise.resolve(pid),
    exited: exited.promise,
    drained: drained.promise,
    stopping: stopping.promise,
    escalating: escalating.promise,
    settled: settled.promise,
    gone: gone.promise,
    outputEnded: outputs.ended,
    isSettled: () => phase === 'settled',
    state,
    pid: () => pid,
    stopRequest: () => stopRequest,
    stop: (budget, reason, why) => {
      if (phase === 'settled') return
      stopRequest ??= { reason, why, time: Date.now() }
      void beginStop(budget, reason)
    },
    kill: (signo) => {
      if (phase === 'settled') return false
      watch.signalGroup(signo)
      return true
    },
    processes: async () => {
      if (phase === 'settled') return []
      const unhold = hold()
      await watch.look()
      unhold()
      return watch.infos()
    },
    ref: () => {
      if (phase !== 'settled') loop.take()
    },
    unref: loop.release,
    isOutputOpen: outputs.isOpen,
    takeCollected: () => ({
      stdout: outputs.take(1),
      stderr: outputs.take(2),
      spillErrno: outputs.spillErrno(),
    }),
  }
}

/** Child and pipes keep no event loop alive; whoever waits holds it. Bun's streams have no such method, nor need it. */
function letLoopEnd(child: ChildProcess): void {
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
  }
}

/** Nothing was started. */
function failedTree(plan: SpawnPlan, id: string, failed: Promise<Error>): Tree {
  const never = new Promise<never>(() => {})
  const unhold = hold()
  const started = failed.then((error) => {
    unhold()
    throw error
  })
  started.catch(() => {})
  return {
    id,
    plan,
    requestedAt: Date.now(),
    cwd: absolutePath(plan.cwd),
    stdin: null,
    stdout: null,
    stderr: null,
    started,
    exited: never,
    drained: never,
    stopping: never,
    escalating: never,
    settled: never,
    gone: never,
    outputEnded: never,
    isSettled: () => false,
    state: () => 'starting',
    pid: () => null,
    stopRequest: () => undefined,
    stop: () => {},
    kill: () => false,
    processes: () => Promise.resolve([]),
    ref: () => {},
    unref: () => {},
    isOutputOpen: () => false,
    takeCollected: () => ({
      stdout: { bytes: new Uint8Array(), total: 0 },
      stderr: { bytes: new Uint8Array(), total: 0 },
      spillErrno: 0,
    }),
  }
}
