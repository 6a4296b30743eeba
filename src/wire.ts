// Decoders of the messages of the keeper: pure, little-endian, every read checked against the payload's end, every
// number against its range. A message that doesn't fit its format throws WireError; nothing is guessed.

import { ESCAPES, PROOFS, REASONS, RECORDINGS, StatusKind, SURVIVOR_REASONS } from '../bindings/native.js'
import { signalName } from './signals.js'
import type {
  EndedProcess,
  Exit,
  ProcessInfo,
  ProcessState,
  Recording,
  Settlement,
  SettleReason,
  SignalName,
  Survivor,
  SurvivorReason,
} from './types.js'

/** The bytes are not what the format says: the other side is broken, or of another version. */
export class WireError extends Error {
  override name = 'WireError'
}

export interface StartFailure {
  readonly errno: number
  readonly step: number
  readonly detail: string
}

export interface ProcessesPart {
  readonly requestId: number
  readonly more: boolean
  readonly processes: readonly ProcessInfo[]
}

const text = new TextDecoder('utf-8', { ignoreBOM: true })

export function decodeStarted(payload: ArrayBuffer): number {
  const from = cursor(payload)
  const pid = from.i32()
  if (pid <= 1) throw new WireError(`pid ${pid} of a command`)
  from.end()
  return pid
}

export function decodeFailed(payload: ArrayBuffer): StartFailure {
  const from = cursor(payload)
  return { errno: from.i32(), step: from.u8(), detail: text.decode(from.rest()) }
}

export function decodeExited(payload: ArrayBuffer): Exit {
  const from = cursor(payload)
  const code = from.i32()
  const signo = from.i32()
  from.end()
  return signo === 0 ? { code, signal: null } : { code: null, signal: checkedSignal(signo) }
}

/** Of STOPPING and ESCALATING. */
export function decodeReason(payload: ArrayBuffer): SettleReason {
  const from = cursor(payload)
  const reason = choose(from.u8(), REASONS, 'reason')
  from.end()
  return reason
}

export function decodeRecording(payload: ArrayBuffer): {
  readonly recording: Recording
  readonly startTime: number
} {
  const from = cursor(payload)
  const recording = choose(from.u8(), RECORDINGS, 'recording')
  const startTime = from.f64()
  from.end()
  return { recording, startTime }
}

export function decodeSettled(payload: ArrayBuffer): Settlement {
  const from = cursor(payload)
  const outcome = choose(from.u8(), ['empty', 'survivors'] as const, 'outcome')
  const reason = choose(from.u8(), REASONS, 'reason')
  const proof = choose(from.u8(), PROOFS, 'proof')
  const escalated = from.u8() !== 0
  const elapsed = from.f64()
  const usage = { userTime: from.f64(), systemTime: from.f64(), maxRss: from.f64() }
  const endedCount = from.u32()
  const endedLength = from.u16()
  const survivorsLength = from.u16()
  const ended = repeat(endedLength, () => toEnded(readEntry(from)))
  const survivors = repeat(survivorsLength, () => toSurvivor(readEntry(from)))
  const oomKills = from.isAtEnd() ? 0 : from.u32()
  from.end()
  return { outcome, reason, proof, escalated, elapsed, ended, endedCount, survivors, usage, oomKills }
}

export function decodeProcesses(payload: ArrayBuffer): ProcessesPart {
  const from = cursor(payload)
  const requestId = from.u32()
  const more = from.u8() !== 0
  const length = from.u16()
  const processes = repeat(length, () => toProcess(readEntry(from)))
  from.end()
  return { requestId, more, processes }
}

interface Entry extends ProcessInfo {
  readonly survivorReason: (typeof SURVIVOR_REASONS)[number]
  readonly code: number | null
  readonly signal: SignalName | null
}

function readEntry(from: Cursor): Entry {
  const ids = { pid: from.i32(), ppid: from.i32(), pgid: from.i32(), sid: from.i32(), startTime: from.f64() }
  const load = { cpuTime: from.f64(), memory: from.f64(), threads: from.u32() }
  const state = toState(from.u8())
  const escaped = choose(from.u8(), ESCAPES, 'escape')
  const survivorReason = choose(from.u8(), SURVIVOR_REASONS, 'survivor reason')
  const kind = from.u8()
  const status = from.i32()
  const code = kind === StatusKind.exited ? status : null
  const signal = kind === StatusKind.signalled ? checkedSignal(status) : null
  return {
    ...ids,
    ...load,
    state,
    escaped,
    survivorReason,
    code,
    signal,
    argv: toArgv(from.bytes(from.u16())),
  }
}

function toProcess(entry: Entry): ProcessInfo {
  const { pid, ppid, pgid, sid, startTime, cpuTime, memory, threads, state, argv, escaped } = entry
  return { pid, ppid, pgid, sid, startTime, cpuTime, memory, threads, state, argv, escaped }
}

function toEnded({ pid, argv, escaped, code, signal }: Entry): EndedProcess {
  return { pid, argv, escaped, code, signal }
}

function toSurvivor({ pid, startTime, argv, state, survivorReason }: Entry): Survivor {
  // Neither out of reach nor forbidden, and still there: SIGKILL was sent and has not taken effect.
  const reason: SurvivorReason = survivorReason === 'none' ? 'uninterruptible' : survivorReason
  return { pid, startTime, argv, state, reason }
}

const STATES: readonly string[] = ['R', 'S', 'D', 'T', 't', 'Z', 'X', 'I'] satisfies readonly ProcessState[]

/** Kernels had other letters (`W`, `K`, `P`) and may get new ones: those read `?`. */
function toState(letter: number): ProcessState {
  const state = String.fromCharCode(letter)
  return STATES.includes(state) ? (state as ProcessState) : '?'
}

/** As in /proc/PID/cmdline: NUL between arguments, and maybe one after the last. */
function toArgv(bytes: Uint8Array): readonly string[] {
  if (bytes.length === 0) return []
  const joined = text.decode(bytes)
  return (joined.endsWith('\0') ? joined.slice(0, -1) : joined).split('\0')
}

function checkedSignal(signo: number): SignalName {
  if (signo < 1 || signo > 64) throw new WireError(`signal ${signo}`)
  return signalName(signo)
}

function choose<Choice>(index: number, choices: readonly Choice[], what: string): Choice {
  if (index >= choices.length) throw new WireError(`${what} ${index}`)
  return choices[index] as Choice
}

function repeat<Item>(count: number, read: () => Item): readonly Item[] {
  return Array.from({ length: count }, read)
}

interface Cursor {
  u8(): number
  u16(): number
  u32(): number
  i32(): number
  f64(): number
  bytes(length: number): Uint8Array
  rest(): Uint8Array
  isAtEnd(): boolean
  end(): void
}

function cursor(payload: ArrayBuffer): Cursor {
  const view = new DataView(payload)
  let position = 0
  const take = (length: number): number => {
    const at = position
    if (at + length > payload.byteLength) throw new WireError(`message ends at byte ${payload.byteLength}`)
    position += length
    return at
  }
  const bytes = (length: number): Uint8Array => new Uint8Array(payload, take(length), length)
  return {
    u8: () => view.getUint8(take(1)),
    u16: () => view.getUint16(take(2), true),
    u32: () => view.getUint32(take(4), true),
    i32: () => view.getInt32(take(4), true),
    f64: () => view.getFloat64(take(8), true),
    bytes,
    isAtEnd: () => position === payload.byteLength,
    rest: () => bytes(payload.byteLength - position),
    end: () => {
      if (position !== payload.byteLength)
        throw new WireError(`${payload.byteLength - position} bytes too many`)
    },
  }
}
