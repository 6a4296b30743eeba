// The child: a tree with the face and the events of node:child_process. It owns the order of the events (spawn, then
// data, then exit, then close) and emits each by way of nextTick, so that a listener that throws is an uncaught
// exception, as in Node. It never tells of an end that it has not seen.

import type { ChildProcess as NodeChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { clearTimeout, setTimeout } from 'node:timers'
import { onAbort } from '../abort.js'
import { deferred } from '../deferred.js'
import { SpawnError } from '../errors.js'
import { checkBudget, checkReason, type SpawnPlan } from '../options.js'
import { isPipe } from '../request.js'
import { launch } from '../start.js'
import type { Tree } from '../tree.js'
import type { Exit, Settlement, SettleReason, StopOptions } from '../types.js'
import { checkObject } from '../validate.js'
import { type Call, SIGKILL, SIGTERM, signalOf } from './arguments.js'
import { abortFailure, NOT_STARTED, startFailure } from './errors.js'
import { createWritable } from './input.js'
import { createReadable } from './output.js'
import type { TreeChild } from './types.js'

/**
 * A command with its tree, as a ChildProcess. See docs/child-process.md for what differs from Node's own; above all:
 * `pid` is set right before the `spawn` event, and `kill()` stops the whole tree.
 */
export class ChildProcess extends EventEmitter implements NodeChildProcess, TreeChild {
  /** `undefined` until the command runs. */
  pid: number | undefined = undefined
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  /** Whether `kill()` or the `timeout` has sent a signal. */
  killed = false
  readonly connected = false
  readonly spawnfile: string
  readonly spawnargs: string[]
  readonly stdin: Writable | null
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  readonly stdio: [Writable | null, Readable | null, Readable | null, undefined, undefined]
  readonly settled: Promise<Settlement | null>

  // Undefined, as in Node, where there is no channel.
  declare readonly channel: NonNullable<NodeChildProcess['channel']> | null
  declare readonly send: NodeChildProcess['send']
  declare readonly disconnect: NodeChildProcess['disconnect']

  readonly #plan: SpawnPlan
  readonly #killSignal: number
  readonly #tree: Tree | null
  readonly #opened = deferred<Tree | null>()
  readonly #ended = deferred()
  /** Signals that came before the command ran. */
  #early: number[] = []
  /** The end, each output, and the tree, unless what is left is kept. */
  #closesNeeded = 1

  /** @internal */
  constructor(call: Call) {
    super()
    const { plan, signal } = call
    this.spawnfile = call.spawnfile
    this.spawnargs = call.spawnargs
    this.#plan = plan
    this.#killSignal = call.killSignal
    const [stdin, stdout, stderr] = plan.stdio
    const opened = this.#opened.promise
    this.stdin = isPipe(stdin) ? createWritable(opened.then((tree) => tree?.stdin ?? null)) : null
    this.stdout = isPipe(stdout) ? this.#output(opened.then((tree) => tree?.stdout ?? null)) : null
    this.stderr = isPipe(stderr) ? this.#output(opened.then((tree) => tree?.stderr ?? null)) : null
    this.stdio = standardOnly(this.stdin, this.stdout, this.stderr)
    try {
      if (signal?.aborted) throw abortFailure(signal.reason)
      this.#tree = launch(plan)
    } catch (error) {
      this.#tree = null
      this.settled = this.#settlement()
      process.nextTick(() => this.#fail(error))
      return
    }
    this.settled = this.#settlement()
    this.#follow(this.#tree)
    if (signal !== undefined) this.#stopOnAbort(this.#tree, signal)
  }

  /**
   * `SIGTERM` (the default) and `killSignal` stop the whole tree within its budget; `SIGKILL` ends it at once; any
   * other signal is sent to the command's process group; 0 sends nothing. True if the command was there to be signalled.
   * What a command has left behind is stopped after its end, too; that gives false, as a child that has ended does.
   *
   * @throws {InvalidOptionError} `ERR_UNKNOWN_SIGNAL`.
   */
  kill(signal?: NodeJS.Signals | number): boolean {
    const signo = signal === 0 ? 0 : signalOf(signal ?? 'SIGTERM', 'signal')
    const sent = this.#tree !== null && this.#deliver(this.#tree, signo)
    if (sent) this.killed = true
    return sent
  }

  async stop(options: StopOptions = {}): Promise<Settlement | null> {
    checkObject(options, 'options')
    const { budget = this.#plan.budget, reason } = options
    checkBudget(budget)
    checkReason(reason)
    this.#tree?.stop(budget, 'stop', reason)
    return this.settled
  }

  ref(): void {
    this.#tree?.ref()
  }

  unref(): void {
    this.#tree?.unref()
  }

  [Symbol.dispose](): void {
    if (!this.killed) this.kill()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  #deliver(tree: Tree, signo: number): boolean {
    const isRunning = this.exitCode === null && this.signalCode === null && !tree.isSettled()
    if (signo === 0) return isRunning
    if (!isRunning) {
      if (signo === SIGTERM || signo === SIGKILL || signo === this.#killSignal)
        this.#stopBy(tree, signo, 'stop')
      return false
    }
    if (signo === this.#killSignal || signo === SIGKILL) {
      this.#stopBy(tree, signo, 'stop')
      return true
    }
    if (tree.state() === 'starting') {
      this.#early.push(signo)
      return true
    }
    return signo === SIGTERM ? terminate(tree, this.#plan.budget) : tree.kill(signo)
  }

  #stopBy(tree: Tree, signo: number, reason: SettleReason): void {
    tree.stop(signo === SIGKILL ? 0 : this.#plan.budget, reason)
  }

  #output(opened: Promise<ReadableStream<Uint8Array> | null>): Readable {
    const stream = createReadable(opened)
    this.#closesNeeded += 1
    stream.once('close', () => this.#maybeClose())
    return stream
  }

  /**
   * Not before the events that it follows: start, end and settlement may be told all at once where the loop was
   * blocked, and who has waited for the last finds `pid`, `exitCode` and `signalCode` set.
   */
  async #settlement(): Promise<Settlement | null> {
    const tree = await this.#opened.promise
    if (tree === null) return null
    await this.#ended.promise
    return tree.settled
  }

  #follow(tree: Tree): void {
    const isKept = this.#plan.leftovers === 'keep'
    if (!isKept) this.#closesNeeded += 1
    void tree.started.then(
      (pid) => process.nextTick(() => this.#start(tree, pid)),
      (error) => process.nextTick(() => this.#fail(error)),
    )
    void tree.stopping.then((reason) => {
      if (reason === 'timeout') this.killed = true
    })
    void tree.exited.then((exit) => process.nextTick(() => this.#end(exit)))
    void tree.settled.then(() => {
      if (!isKept) process.nextTick(() => this.#maybeClose())
    })
  }

  #start(tree: Tree, pid: number): void {
    this.pid = pid
    for (const signo of this.#early) this.#deliver(tree, signo)
    this.#early = []
    try {
      this.emit('spawn')
    } finally {
      this.#opened.resolve(tree)
    }
  }

  #end({ code, signal }: Exit): void {
    this.exitCode = code
    this.signalCode = signal
    this.stdin?.destroy()
    process.nextTick(() => this.#flush())
    try {
      this.emit('exit', code, signal)
    } finally {
      this.#ended.resolve()
      this.#maybeClose()
    }
  }

  /** Nothing was started. As in Node: no `exit`, a negative `exitCode`, and `close` right after `error`. */
  #fail(error: unknown): void {
    const failure = error instanceof SpawnError ? startFailure(error, this.spawnfile, this.spawnargs) : error
    this.exitCode = error instanceof SpawnError ? error.errno : NOT_STARTED
    this.#opened.resolve(null)
    this.stdin?.destroy()
    process.nextTick(() => this.#flush())
    this.#closesNeeded = 1
    this.emit('error', failure)
    this.#maybeClose()
  }

  /** Outputs that nobody reads are read to their end, so that `close` comes. */
  #flush(): void {
    for (const stream of [this.stdout, this.stderr]) if (stream?.readable) stream.resume()
  }

  #maybeClose(): void {
    this.#closesNeeded -= 1
    if (this.#closesNeeded === 0) this.emit('close', this.exitCode, this.signalCode)
  }

  #stopOnAbort(tree: Tree, signal: AbortSignal): void {
    const leave = onAbort(signal, () => {
      if (this.exitCode !== null || this.signalCode !== null || tree.isSettled()) return
      this.#stopBy(tree, this.#killSignal, 'abort')
      this.killed = true
      process.nextTick(() => this.emit('error', abortFailure(signal.reason)))
    })
    void tree.started.catch(leave)
    void tree.settled.then(leave)
  }
}

/** The types of Node promise five; there are three, as in Node. */
function standardOnly(
  stdin: Writable | null,
  stdout: Readable | null,
  stderr: Readable | null,
): ChildProcess['stdio'] {
  return [stdin, stdout, stderr] as unknown as ChildProcess['stdio']
}

/**
 * SIGTERM where a stop would begin with another signal: the keeper knows one first signal for all stops. The budget
 * is then counted here, on the event loop's clock.
 */
function terminate(tree: Tree, budget: number): boolean {
  if (!tree.kill(SIGTERM)) return false
  const timer = setTimeout(() => tree.stop(0, 'stop'), budget)
  void tree.settled.then(() => clearTimeout(timer))
  return true
}
