// The shapes of node:child_process as this module takes and gives them, and what is added to them. Types only.

import type {
  ChildProcessByStdio,
  ChildProcessWithoutNullStreams,
  ChildProcess as NodeChildProcess,
  SpawnOptions as NodeSpawnOptions,
  spawn as nodeSpawn,
  SpawnOptionsWithoutStdio,
  StdioNull,
  StdioPipe,
} from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Owner } from '../owners/types.js'
import type { RightsOptions } from '../rights/types.js'
import type { Leftovers, Settlement, StopOptions } from '../types.js'

/** What a tree can be told besides the options of node:child_process. */
export interface TreeOptions extends Omit<RightsOptions, 'uid' | 'gid'> {
  /** Milliseconds from a stop until the tree is empty, SIGKILL included. Default: 500. */
  readonly budget?: number | undefined
  /**
   * What happens to what the command leaves behind when it ends by itself. Default: `'stop'`. With `'keep'`, `close`
   * comes as in Node: once the streams have ended, whoever still runs.
   */
  readonly leftovers?: Leftovers | undefined
  readonly owner?: Owner | undefined
  readonly kind?: string | undefined
  readonly label?: string | undefined
}

/** Options of {@link Spawn}: those of node:child_process, and {@link TreeOptions}. */
export type SpawnOptions = NodeSpawnOptions & TreeOptions

/** What a child has besides the members of node:child_process. */
export interface TreeChild extends AsyncDisposable, Disposable {
  /** The tree's end; `null` when nothing was started. Never rejects. */
  readonly settled: Promise<Settlement | null>
  /** Stops the whole tree, as `kill()` does, and resolves with {@link settled}. Rejects only for a bad option. */
  stop(options?: StopOptions): Promise<Settlement | null>
}

type Input<Value> = Value extends StdioPipe ? Writable : null
type Output<Value> = Value extends StdioPipe ? Readable : null

interface WithTuple<I extends Standard, O extends Standard, E extends Standard>
  extends NodeSpawnOptions,
    TreeOptions {
  stdio: [I, O, E]
}

type ByTuple<I, O, E> = ChildProcessByStdio<Input<I>, Output<O>, Output<E>> & TreeChild

type Standard = StdioNull | StdioPipe

/** `spawn` with the signatures of node:child_process; it can stand where that one is asked for. */
export type Spawn = TreeSpawn & typeof nodeSpawn

/** Node's signatures, with a {@link TreeChild} as the result. */
interface TreeSpawn {
  (
    command: string,
    options?: SpawnOptionsWithoutStdio & TreeOptions,
  ): ChildProcessWithoutNullStreams & TreeChild
  <I extends Standard, O extends Standard, E extends Standard>(
    command: string,
    options: WithTuple<I, O, E>,
  ): ByTuple<I, O, E>
  (command: string, options: SpawnOptions): NodeChildProcess & TreeChild
  (
    command: string,
    args?: readonly string[],
    options?: SpawnOptionsWithoutStdio & TreeOptions,
  ): ChildProcessWithoutNullStreams & TreeChild
  <I extends Standard, O extends Standard, E extends Standard>(
    command: string,
    args: readonly string[],
    options: WithTuple<I, O, E>,
  ): ByTuple<I, O, E>
  (command: string, args: readonly string[], options: SpawnOptions): NodeChildProcess & TreeChild
}
