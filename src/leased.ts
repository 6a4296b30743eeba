// A command as the holder of a lease sees it: the same face, everything that comes out of it behind the gate. The
// original's streams are taken, so that no byte can go round the gate.

import { InvalidOptionError, LeaseRevokedError } from './errors.js'
import type { Gate } from './gate.js'
import { tie, treeOf } from './subprocess.js'
import type { Subprocess } from './types.js'

/** @throws {InvalidOptionError} when somebody reads or writes its streams already. */
export function leasedSubprocess(gate: Gate, command: Subprocess): Subprocess {
  checkFree(command)
  const { stdin, stdout, stderr } = command
  const stop: Subprocess['stop'] = (options) => gate.follow(command.stop(options))
  const leased: Subprocess = {
    ...command,
    stdin: stdin && leasedWritable(gate, stdin),
    stdout: stdout && leasedReadable(gate, stdout),
    stderr: stderr && leasedReadable(gate, stderr),
    // Each who asks gets a promise of its own: one that was resolved long ago would let its reactions run in a row,
    // past a revoke by the first of them.
    get exited() {
      return gate.follow(command.exited)
    },
    get settled() {
      return gate.follow(command.settled)
    },
    stop,
    kill: (signal) => !gate.isCut() && command.kill(signal),
    processes: () => gate.follow(command.processes()),
    // Waits for the end, and tells nothing of it: leaving a block is no way to learn of a revoked command.
    [Symbol.asyncDispose]: async () => {
      await command.stop()
    },
  }
  tie(leased, treeOf(command, 'command'))
  return leased
}

function checkFree({ stdin, stdout, stderr }: Subprocess): void {
  for (const [option, stream] of Object.entries({ stdin, stdout, stderr })) {
    if (!stream?.locked) continue
    throw new InvalidOptionError({
      code: 'ERR_INVALID_ARG_VALUE',
      option,
      must: 'not be in use when a lease is to cover the command',
      value: stream,
      fix: 'Cover the command first, and use the streams of what covers() gives',
    })
  }
}

/**
 * Ends at once when the gate is cut. The source is then left alone rather than cancelled: a closed pipe would hit the
 * command with SIGPIPE in the middle of its cleaning up; a stop reads what it writes, and drops it.
 */
function leasedReadable(gate: Gate, source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  return new ReadableStream(
    {
      type: 'bytes',
      start: (controller) => {
        gate.onCut(() => close(controller))
      },
      pull: (controller) =>
        new Promise((resolve) => {
          const leave = gate.onCut(() => resolve())
          const pass = (act: () => void): void =>
            gate.deliver(() => {
              leave()
              act()
              resolve()
            })
          reader.read().then(
            ({ done, value }) => pass(() => (done ? close(controller) : controller.enqueue(value))),
            (error) => pass(() => controller.error(error)),
          )
        }),
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

function close(controller: ReadableByteStreamController): void {
  try {
    controller.close()
    // A pending BYOB read is only told of the end by an answer of no bytes.
    controller.byobRequest?.respond(0)
  } catch {
    // It has ended before, or its reader has cancelled it.
  }
}

function leasedWritable(gate: Gate, sink: WritableStream<Uint8Array>): WritableStream<Uint8Array> {
  const writer = sink.getWriter()
  const pass = (work: Promise<void>): Promise<void> => gate.follow(work)
  return new WritableStream({
    start: (controller) => {
      gate.onCut((error) => controller.error(error))
    },
    write: (bytes) => pass(writer.write(bytes)),
    close: () => pass(writer.close()),
    abort: (reason) => (reason instanceof LeaseRevokedError ? undefined : writer.abort(reason)),
  })
}
