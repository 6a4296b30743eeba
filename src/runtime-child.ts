// Children that a runtime's own spawn has given: which object is one, and how it tells of its end. Each runtime reaps
// its own; nothing here ever waits for a process.

import { ChildProcess } from 'node:child_process'
import { InvalidOptionError } from './errors.js'
import { signalName } from './signals.js'
import type { AdoptableChild, BunSubprocess, DenoChildProcess, Exit, SignalName } from './types.js'

export interface RuntimeChild {
  /** `undefined` where its start has failed. */
  readonly pid: number | undefined
  /** Its end; never rejects. */
  readonly ended: Promise<Exit>
  /** The end as far as the runtime knows of it. */
  exit(): Exit | null
}

const runtime = globalThis as {
  readonly Bun?: unknown
  readonly Deno?: { readonly ChildProcess?: abstract new () => DenoChildProcess }
}

export function runtimeChild(child: AdoptableChild): RuntimeChild {
  if (child instanceof ChildProcess) return nodeChild(child)
  if (isBunChild(child)) return bunChild(child)
  if (isDenoChild(child)) return denoChild(child)
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_TYPE',
    option: 'child',
    must: "be a child of the runtime's own spawn",
    value: child,
    fix: 'Pass a ChildProcess of node:child_process, what Bun.spawn() gave, or a Deno.ChildProcess',
  })
}

function nodeChild(child: ChildProcess): RuntimeChild {
  const exit = (): Exit | null => exitOf(child.exitCode, child.signalCode)
  const ended = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  return { pid: child.pid, ended, exit }
}

function bunChild(child: BunSubprocess): RuntimeChild {
  const exit = (): Exit | null => exitOf(child.exitCode, child.signalCode)
  const told = (): Exit => exit() ?? { code: null, signal: null }
  return { pid: child.pid, ended: child.exited.then(told, told), exit }
}

function denoChild(child: DenoChildProcess): RuntimeChild {
  let known: Exit | null = null
  const ended = child.status.then(
    ({ code, signal }): Exit => ({
      code: signal === null ? code : null,
      signal: signal as SignalName | null,
    }),
    (): Exit => ({ code: null, signal: null }),
  )
  void ended.then((exit) => {
    known = exit
  })
  return { pid: child.pid, ended, exit: () => known }
}

function exitOf(code: number | null, signal: string | number | null): Exit | null {
  // Bun gives the number where a signal has no name of its own.
  if (typeof signal === 'number') return { code: null, signal: signalName(signal) }
  if (signal !== null) return { code: null, signal: signal as SignalName }
  return code === null ? null : { code, signal: null }
}

/** Its class has no name that could be asked for. */
function isBunChild(child: unknown): child is BunSubprocess {
  return runtime.Bun !== undefined && Object.prototype.toString.call(child) === '[object Subprocess]'
}

function isDenoChild(child: unknown): child is DenoChildProcess {
  const denoClass = runtime.Deno?.ChildProcess
  return denoClass !== undefined && child instanceof denoClass
}
