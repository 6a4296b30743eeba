// procleash/child-process: spawn of node:child_process for libraries that take a spawn function or a child, with a
// keeper behind it. See docs/child-process.md.

import { readCall } from './arguments.js'
import { ChildProcess } from './child.js'
import type { Spawn } from './types.js'

export { ChildProcess } from './child.js'
export type { Spawn, SpawnOptions, TreeChild, TreeOptions } from './types.js'

/**
 * Starts a command as node:child_process' `spawn` does, at once and without waiting, and gives a ChildProcess. What
 * it starts is stopped with everything below it by `kill()`, `stop()`, `timeout`, `signal`, its own end, and the end
 * of this process.
 *
 * A start that fails is an `error` event, of Node's shape, for every errno.
 *
 * @throws {InvalidOptionError} for an argument or option that is not valid, with Node's codes.
 */
export const spawn = ((command: unknown, ...rest: readonly unknown[]) =>
  new ChildProcess(readCall(command, ...rest))) as Spawn
