// The outputs of a command that are pipes: streams, or collected for `run`. A stream is read only as far as its reader
// has asked for; while the tree is being stopped it is read on and dropped, so that a blocked writer can act.

import type { Readable } from 'node:stream'
import { clearTimeout, setTimeout } from 'node:timers'
import { type Deferred, deferred } from '../deferred.js'
import { createOutput, type Output } from '../readable.js'
import type { CollectedOutput, OutputNumber } from '../tree.js'
import { createCollector } from './collector.js'
import { errnoOf } from './errno-of.js'
import { writeAll } from './files.js'
import { hold } from './hold.js'

/** Milliseconds of silence after which an output that a stranger holds open counts as read. */
const IDLE = 100
/** Milliseconds in which the rest of the pipes is read after the tree's end. */
const LAST_OUTPUT = 1000

export interface OutputOptions {
  /** `null`: streams. */
  readonly maxOutput: number | null
  /** Descriptor of the spill file, or -1. */
  readonly spill: number
}

export interface Outputs {
  output(number: OutputNumber): Output | null
  take(number: OutputNumber): CollectedOutput
  /** Negative errno that ended the writing of the spill file, or 0. */
  spillErrno(): number
  isOpen(number: OutputNumber): boolean
  /** Resolves when nothing came for a while, at the latest after `most` milliseconds; at once without open outputs. */
  drained(most: number): Promise<void>
  /** From now on nothing waits for a reader. */
  letFlow(): void
  /** Reads what is there, and ends. */
  treeEnded(): void
  readonly ended: Promise<void>
}

interface Line {
  readonly number: OutputNumber
  readonly stream: Readable
  readonly output: Output | null
  readonly take: () => CollectedOutput
}

export function createOutputs(
  streams: readonly (readonly [OutputNumber, Readable | null])[],
  { maxOutput, spill }: OutputOptions,
): Outputs {
  const open = new Map<OutputNumber, Line>()
  const lines = new Map<OutputNumber, Line>()
  const givenUp = new Set<OutputNumber>()
  const ended = deferred()
  const silences = new Set<Silence>()
  let isFlowing = false
  let hasTreeEnded = false
  let spillErrno = 0

  const touched = (): void => {
    for (const silence of silences) silence.touched()
  }

  const endOne = (number: OutputNumber, errno: number): void => {
    if (!open.delete(number)) return
    lines.get(number)?.output?.end(errno)
    if (open.size > 0) return
    for (const silence of silences) silence.end()
    if (hasTreeEnded) ended.resolve()
  }

  const spillOut = (bytes: Uint8Array): void => {
    if (spill >= 0 && spillErrno === 0) spillErrno = writeAll(spill, bytes)
  }

  const streamLine = (number: OutputNumber, stream: Readable): Line => {
    let credit = 0
    const native = {
      grant: (_: number, __: number, bytes: number) => {
        credit += bytes
        if (credit > 0) stream.resume()
      },
      cancel: () => {
        stream.destroy()
        endOne(number, 0)
      },
    }
    const output = createOutput({ native, hold }, 0, number)
    stream.on('data', (bytes: Uint8Array) => {
      touched()
      // Only while the tree is being stopped does more come than the reader wants.
      if (credit <= 0 && isFlowing && !hasTreeEnded) return
      credit -= bytes.length
      output.push(bytes)
      if (credit <= 0 && !isFlowing) stream.pause()
    })
    return { number, stream, output, take: () => ({ bytes: new Uint8Array(), total: 0 }) }
  }

  const collectLine = (number: OutputNumber, stream: Readable, limit: number): Line => {
    const collector = createCollector(limit)
    let taken = false
    stream.on('data', (bytes: Uint8Array) => {
      touched()
      spillOut(bytes)
      if (!taken) collector.push(bytes)
    })
    const take = (): CollectedOutput => {
      taken = true
      return collector.take()
    }
    return { number, stream, output: null, take }
  }

  for (const [number, stream] of streams) {
    if (stream === null) continue
    const line = maxOutput === null ? streamLine(number, stream) : collectLine(number, stream, maxOutput)
    lines.set(number, line)
    open.set(number, line)
    stream.on('end', () => endOne(number, 0))
    stream.on('error', (error) => endOne(number, -errnoOf(error)))
    stream.on('close', () => endOne(number, 0))
  }

  const drained = async (most: number): Promise<void> => {
    if (open.size === 0) return
    const silence = createSilence(most)
    silences.add(silence)
    await silence.reached
    silences.delete(silence)
  }

  const letFlow = (): void => {
    isFlowing = true
    for (const { stream } of open.values()) stream.resume()
  }

  const finish = async (): Promise<void> => {
    await drained(LAST_OUTPUT)
    for (const [number, { stream }] of [...open]) {
      if (silenceIsFor(stream)) givenUp.add(number)
      endOne(number, 0)
      stream.destroy()
    }
  }

  /** Still full: a flood, which nobody waits for. */
  const silenceIsFor = (stream: Readable): boolean => stream.readableLength > 0

  return {
    output: (number) => lines.get(number)?.output ?? null,
    take: (number) => lines.get(number)?.take() ?? { bytes: new Uint8Array(), total: 0 },
    spillErrno: () => spillErrno,
    isOpen: (number) => open.has(number) || givenUp.has(number),
    drained,
    letFlow,
    treeEnded: () => {
      hasTreeEnded = true
      for (const { output } of open.values()) output?.treeEnded()
      letFlow()
      if (open.size === 0) ended.resolve()
      else void finish()
    },
    ended: ended.promise,
  }
}

interface Silence {
  readonly reached: Promise<void>
  touched(): void
  end(): void
}

function createSilence(most: number): Silence {
  const reached: Deferred<void> = deferred()
  const end = (): void => {
    clearTimeout(idle)
    clearTimeout(last)
    reached.resolve()
  }
  const start = (ms: number): ReturnType<typeof setTimeout> => {
    const timer = setTimeout(end, ms)
    timer.unref()
    return timer
  }
  let idle = start(IDLE)
  const last = start(most)
  const touched = (): void => {
    clearTimeout(idle)
    idle = start(IDLE)
  }
  return { reached: reached.promise, touched, end }
}
