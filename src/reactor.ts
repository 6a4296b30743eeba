// The one channel between this thread's JavaScript and its native reactor. It owns the slab, hands each record to
// the handle it belongs to, and keeps the event loop alive exactly while somebody holds it. It knows nothing of what
// the records mean for a caller.

import loader from '../bindings/load.cjs'
import { type LoadResult, type Native, RECORD_INTS, RecordType } from '../bindings/native.js'
import { errnoFix, errnoName } from './errno.js'
import { SpawnError } from './errors.js'
import { nativeMissing, otherVersion, withoutNative } from './native-missing.js'
import { portableReason } from './portable/reason.js'
import { VERSION } from './version.js'

/** Receives what belongs to one handle. A method that throws makes `failed` be called, not the others suffer. */
export interface Port {
  /** `bytes` is a window on the slab, valid only during the call. */
  data(stream: number, bytes: Uint8Array): void
  ended(stream: number, errno: number): void
  message(type: number, payload: ArrayBuffer): void
  written(): void
  drained(): void
  /** No more records will come; the port is forgotten here. */
  closed(): void
  /** The records make no sense. */
  failed(error: unknown): void
}

export interface Reactor {
  readonly native: Native
  readonly helperPath: string
  attach(handle: number, port: Port): void
  /** Hands out all records that wait, now. */
  drain(): void
  /** Keeps the event loop alive until the returned function is called; further calls of it do nothing. */
  hold(): () => void
}

type LoadedAddon = Extract<LoadResult, { readonly native: Native }>

const SLOT_SIZE = 64 * 1024
const SLAB_SIZE = 4 * 1024 * 1024
const RECORDS_AT_ONCE = 256

/** Of this thread; loads and opens the addon on first use. Throws {@link NativeMissingError}. */
export function getReactor(): Reactor {
  const why = portableReason()
  if (why !== null) throw withoutNative(why)
  // Kept beside the addon: a second copy of this module in the same thread (a test runner's, a bundle's) finds the
  // reactor that is open instead of failing to open another one.
  loader.shared.reactor ??= openReactor()
  return loader.shared.reactor as Reactor
}

function openReactor(): Reactor {
  const addon = loadAddon()
  if (addon.native.version !== VERSION) throw otherVersion(addon.native.version)
  return createReactor(addon)
}

function createReactor({ native, helperPath, helperNamed }: LoadedAddon): Reactor {
  const slab = new ArrayBuffer(SLAB_SIZE)
  const records = new Int32Array(RECORDS_AT_ONCE * RECORD_INTS)
  const ports = new Map<number, Port>()
  let holds = 0

  const dispatch = (type: number, handle: number, a: number, b: number): void => {
    const port = ports.get(handle)
    switch (type) {
      case RecordType.data: {
        const slot = a >> 8
        try {
          port?.data(a & 0xff, new Uint8Array(slab, slot * SLOT_SIZE, b))
        } finally {
          native.release(slot)
        }
        return
      }
      case RecordType.end:
        port?.ended(a, b)
        return
      case RecordType.message: {
        // Fetched in any case, so that the next record finds the next message.
        const payload = native.message(handle)
        if (payload !== undefined) port?.message(a, payload)
        return
      }
      case RecordType.written:
        port?.written()
        return
      case RecordType.drained:
        port?.drained()
        return
      case RecordType.closed:
        ports.delete(handle)
        port?.closed()
        return
    }
  }

  const drain = (): void => {
    for (let count = native.drain(records); count > 0; count = native.drain(records)) {
      for (let at = 0; at < count * RECORD_INTS; at += RECORD_INTS) {
        const handle = records[at + 1] ?? 0
        try {
          dispatch(records[at] ?? 0, handle, records[at + 2] ?? 0, records[at + 3] ?? 0)
        } catch (error) {
          ports.get(handle)?.failed(error)
        }
      }
    }
  }

  const hold = (): (() => void) => {
    holds += 1
    if (holds === 1) native.ref()
    let held = true
    return () => {
      if (!held) return
      held = false
      holds -= 1
      if (holds === 0) native.unref()
    }
  }

  const status = native.open(slab, SLOT_SIZE, drain, helperPath, !helperNamed)
  if (status < 0) {
    throw new SpawnError(`The native reactor could not start: ${errnoName(status)}`, {
      code: errnoName(status),
      value: undefined,
      fix: errnoFix(errnoName(status)),
      errno: status,
      syscall: 'open',
    })
  }
  return { native, helperPath, attach: (handle, port) => ports.set(handle, port), drain, hold }
}

function loadAddon(): LoadedAddon {
  const loaded = loader.load()
  if (loaded.native === null) throw nativeMissing(loaded.attempts)
  return loaded
}
