// IoLease: who may still hear of a piece of work. Revoking it cuts the holder off at once, whatever the work does;
// work that can be stopped is stopped as well, and how far that has come can be told.

import { deferred } from './deferred.js'
import { LeaseRevokedError } from './errors.js'
import { createGate } from './gate.js'
import { leasedSubprocess } from './leased.js'
import { checkBudget } from './options.js'
import { treeOf } from './subprocess.js'
import type { Tree } from './tree.js'
import type { Settlement, Subprocess } from './types.js'
import { checkObject } from './validate.js'

/**
 * `active`: everything passes. `revoked`: nothing does any more, and the stops were sent. `acknowledged`: every keeper
 * has taken its stop, or its tree has ended. `ended`: nothing that is covered runs any more.
 */
export type LeaseState = 'active' | 'revoked' | 'acknowledged' | 'ended'

/** Options of {@link IoLease}. */
export interface LeaseOptions {
  /** Milliseconds for the stops that a revoke sends. Default: each command's own budget. */
  readonly budget?: number | undefined
}

/** Covered work whose end has not come. `undefined` settlement: its start has failed. */
interface Work {
  acknowledged: boolean
  readonly acknowledgement: Promise<void>
  readonly end: Promise<Settlement | undefined>
  stop(): void
}

/**
 * Isolates results: after `revoke()` has returned, no byte, exit or event of the work it covers reaches the holder.
 * Covered commands are stopped too; work that can't be stopped (a blocking call, a foreign library) is at least no
 * longer heard of.
 */
export class IoLease {
  readonly #gate = createGate()
  readonly #controller = new AbortController()
  readonly #budget: number | undefined
  readonly #work = new Set<Work>()
  readonly #acknowledged = deferred()
  readonly #ended = deferred<readonly Settlement[]>()

  /** @throws {InvalidOptionError} */
  constructor(options: LeaseOptions = {}) {
    checkObject(options, 'options')
    if (options.budget !== undefined) checkBudget(options.budget)
    this.#budget = options.budget
  }

  /** Aborted by `revoke()`, with its reason; for `fetch` and other work that takes a signal. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** As of now. Work that is covered after a revoke counts as well. */
  get state(): LeaseState {
    if (!this.#gate.isCut()) return 'active'
    const work = [...this.#work]
    if (work.length === 0) return 'ended'
    return work.every(({ acknowledged }) => acknowledged) ? 'acknowledged' : 'revoked'
  }

  /** Resolves when the lease is revoked and every keeper has taken its stop, or its tree has ended. */
  get acknowledged(): Promise<void> {
    return this.#acknowledged.promise
  }

  /** Resolves when the lease is revoked and all work that it covered then has ended, with what that came to. */
  get ended(): Promise<readonly Settlement[]> {
    return this.#ended.promise
  }

  /**
   * Cuts the holder off: synchronously, for good. Then stops what is covered, with reason `'abort'`, and aborts
   * `signal`. Calling it again changes nothing, the first reason stays.
   */
  revoke(reason?: unknown): void {
    if (this.#gate.isCut()) return
    const error = new LeaseRevokedError(reason)
    this.#gate.cut(error)
    const work = [...this.#work]
    for (const { stop } of work) stop()
    void Promise.all(work.map(({ acknowledgement }) => acknowledgement)).then(() =>
      this.#acknowledged.resolve(),
    )
    void Promise.all(work.map(({ end }) => end)).then((settlements) =>
      this.#ended.resolve(settlements.filter((settlement) => settlement !== undefined)),
    )
    this.#controller.abort(reason ?? error)
  }

  /**
   * The same function while the lease holds; afterwards a call does nothing and gives `undefined`. Where `fn` gives a
   * promise, its result passes only while the lease holds: on revoke what the caller got rejects with
   * {@link LeaseRevokedError}, which goes unnoticed where nobody waits. The work of `fn` itself goes on, unheard.
   */
  guard<Arguments extends unknown[], Result>(
    fn: (...args: Arguments) => Result,
  ): (...args: Arguments) => Result | undefined {
    const gate = this.#gate
    return (...args) => {
      if (gate.isCut()) return undefined
      const result = fn(...args)
      return isThenable(result) ? (gate.follow(Promise.resolve(result)) as Result) : result
    }
  }

  /**
   * Ties a command to the lease and gives the holder's view of it. Use that one: its streams end when the lease is
   * revoked, and what was promised by it rejects with {@link LeaseRevokedError}. The streams of the original are taken.
   * After a revoke the command is stopped at once.
   *
   * @throws {InvalidOptionError} when it is no command, or its streams are in use already.
   */
  covers(command: Subprocess): Subprocess
  /** The same for a start in progress; a revoke rejects at once, and stops the command as soon as it runs. */
  covers(starting: Promise<Subprocess>): Promise<Subprocess>
  covers(work: Subprocess | Promise<Subprocess>): Subprocess | Promise<Subprocess> {
    if (!isThenable(work)) return this.#cover(work)
    const starting = Promise.resolve(work)
    const pending = this.#pend(starting)
    return this.#gate.follow(
      starting.then((command) => {
        try {
          return this.#cover(command)
        } finally {
          this.#work.delete(pending)
        }
      }),
    )
  }

  #cover(command: Subprocess): Subprocess {
    const tree = treeOf(command, 'command')
    // Before anything that may throw: what comes too late must not go on.
    if (this.#gate.isCut()) this.#stop(tree)
    const leased = leasedSubprocess(this.#gate, command)
    this.#watch(tree)
    return leased
  }

  #stop(tree: Tree): void {
    tree.stop(this.#budget ?? tree.plan.budget, 'abort')
  }

  #watch(tree: Tree): void {
    const work: Work = {
      acknowledged: false,
      acknowledgement: Promise.race([tree.stopping, tree.settled]).then(() => {
        work.acknowledged = true
      }),
      end: tree.settled,
      stop: () => this.#stop(tree),
    }
    this.#work.add(work)
    void tree.settled.then(() => this.#work.delete(work))
  }

  /** Stands for a command until it runs, so that a revoke meanwhile waits for it. */
  #pend(starting: Promise<Subprocess>): Work {
    const tree = starting.then((command) => treeOf(command, 'command')).catch(() => undefined)
    const work: Work = {
      acknowledged: false,
      acknowledgement: tree.then((started) =>
        started === undefined ? undefined : Promise.race([started.stopping, started.settled]).then(() => {}),
      ),
      end: tree.then((started) => started?.settled),
      stop: () => {},
    }
    this.#work.add(work)
    void starting.catch(() => this.#work.delete(work))
    return work
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
