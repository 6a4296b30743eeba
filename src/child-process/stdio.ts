// The `stdio` option of node:child_process as three values of procleash. What can't be had is refused by name: a
// command that lacks a descriptor it was promised fails in ways that nobody can explain.

import { InvalidOptionError } from '../errors.js'
import type { StdioValue } from '../types.js'

/** Where the three standard descriptors go. */
export interface Standard {
  readonly stdin: StdioValue
  readonly stdout: StdioValue
  readonly stderr: StdioValue
}

const STREAMS_ONLY = 'Only the three standard descriptors reach the command; pass the rest by file or socket'

export function standardStreams(stdio: unknown): Standard {
  const values = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio]
  const [stdin, stdout, stderr] = values.map((value: unknown, index) =>
    value === 'ipc' ? refuseIpc(index) : value,
  )
  for (const [index, value] of values.entries()) if (index > 2) checkUnused(value, index)
  return {
    stdin: standard(stdin, 'stdio[0]'),
    stdout: standard(stdout, 'stdio[1]'),
    stderr: standard(stderr, 'stdio[2]'),
  }
}

function standard(value: unknown, option: string): StdioValue {
  if (value === undefined || value === null || value === 'pipe' || value === 'overlapped') return 'pipe'
  if (value === 'ignore' || value === 'inherit') return value
  const descriptor = typeof value === 'number' ? value : descriptorOf(value)
  if (typeof descriptor === 'number' && descriptor >= 0) return descriptor
  throw invalid(
    option,
    "be 'pipe', 'ignore', 'inherit', a descriptor or a stream that has one",
    value,
    'Pipe a stream without a descriptor yourself: stream.pipe(child.stdin)',
  )
}

/** Of a file, a socket or a terminal; a file that is not open yet has none, in Node as here. */
function descriptorOf(stream: unknown): unknown {
  if (typeof stream !== 'object' || stream === null) return undefined
  const { fd, _handle } = stream as { readonly fd?: unknown; readonly _handle?: { readonly fd?: unknown } }
  return fd ?? _handle?.fd
}

function checkUnused(value: unknown, index: number): void {
  if (value === undefined || value === null || value === 'ignore') return
  throw invalid(`stdio[${index}]`, "be 'ignore' or left out", value, STREAMS_ONLY)
}

function refuseIpc(index: number): never {
  throw invalid(
    `stdio[${index}]`,
    "not be 'ipc': there is no channel",
    'ipc',
    'Use fork() of node:child_process, or talk over stdin and stdout',
  )
}

function invalid(option: string, must: string, value: unknown, fix: string): InvalidOptionError {
  return new InvalidOptionError({ code: 'ERR_INVALID_ARG_VALUE', option, must, value, fix })
}
