// The outputs of a tree with a keeper that are pipes: streams, or gathered natively for `run`. Their end is
// awaited for a while after the tree's, no longer: a stranger may hold them.

import { clearTimeout, setTimeout } from 'node:timers'
import { Stream } from '../bindings/native.js'
import { deferred } from './deferred.js'
import type { SpawnPlan } from './options.js'
import type { Reactor } from './reactor.js'
import { createOutput, type Output } from './readable.js'
import { isPipe } from './request.js'
import type { Collected, CollectedOutput, OutputNumber } from './tree.js'

/** Milliseconds after the tree's end in which the rest of its pipes is read: at most a megabyte each. */
const LAST_OUTPUT = 1000

export interface NativeOutputs {
  stream(number: OutputNumber): ReadableStream<Uint8Array> | null
  push(number: number, bytes: Uint8Array): void
  end(number: number, errno: number): void
  /** Reads what is there, and ends. */
  treeEnded(): void
  /** The tree has ended, and so have they. */
  readonly ended: Promise<void>
  /** Whether this output is a pipe whose end has not come. */
  isOpen(number: OutputNumber): boolean
  /** Collect mode, while native code knows the handle. */
  take(): Collected
}

export function createNativeOutputs(reactor: Reactor, handle: number, plan: SpawnPlan): NativeOutputs {
  const { native } = reactor
  const open = new Set<number>()
  const givenUp = new Set<number>()
  const ended = deferred()
  let hasTreeEnded = false
  if (isPipe(plan.stdio[Stream.stdout])) open.add(Stream.stdout)
  if (isPipe(plan.stdio[Stream.stderr])) open.add(Stream.stderr)

  const makeOutput = (number: OutputNumber): Output | null =>
    open.has(number) && plan.collect === null ? createOutput(reactor, handle, number) : null
  const outputs = [null, makeOutput(Stream.stdout), makeOutput(Stream.stderr)] as const

  const endIfDone = (): void => {
    if (hasTreeEnded && open.size === 0) ended.resolve()
  }

  /**
   * Native code ends an output that is empty once the tree has settled, whoever still holds the pipe. One that never
   * gets empty is flooded by a survivor, or by a process that was never in the tree: nobody waits for that.
   */
  const treeEnded = (): void => {
    hasTreeEnded = true
    endIfDone()
    if (open.size === 0) return
    for (const output of outputs) output?.treeEnded()
    const timer = setTimeout(() => {
      // An event loop that was blocked runs its timers first: take in what has come before giving up.
      reactor.drain()
      giveUp()
    }, LAST_OUTPUT)
    timer.unref()
    void ended.promise.then(() => clearTimeout(timer))
  }

  const giveUp = (): void => {
    for (const number of open) {
      givenUp.add(number)
      outputs[number]?.end(0)
      native.cancel(handle, number)
    }
    ended.resolve()
  }

  const take = (number: OutputNumber): CollectedOutput =>
    isPipe(plan.stdio[number])
      ? {
          bytes: new Uint8Array(native.collected(handle, number)),
          total: native.collectedTotal(handle, number),
        }
      : { bytes: new Uint8Array(), total: 0 }

  return {
    stream: (number) => outputs[number]?.stream() ?? null,
    push: (number, bytes) => outputs[number]?.push(bytes),
    end: (number, errno) => {
      open.delete(number)
      outputs[number]?.end(errno)
      endIfDone()
    },
    treeEnded,
    ended: ended.promise,
    isOpen: (number) => open.has(number) || givenUp.has(number),
    take: () => ({
      stdout: take(Stream.stdout),
      stderr: take(Stream.stderr),
      spillErrno: -native.spillError(handle),
    }),
  }
}
