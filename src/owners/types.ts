// The public shapes of owners. Types only; nothing here runs.

import type { run } from '../run.js'
import type { spawn } from '../spawn.js'
import type { Settlement, Subprocess } from '../types.js'
import type { KindOptions } from './kinds.js'

/** Options of {@link createOwner} and of {@link Owner.child}. */
export interface OwnerOptions {
  /**
   * Milliseconds that `release()` has for everything below the owner. At most 2^31-1. Default: 3000, or the parent's.
   * A single `stop()` of a command keeps the command's own budget.
   */
  readonly budget?: number | undefined
  /**
   * Which kinds count as unfinished work, on top of the parent's. Default: `bash` does not, `subagent` and `workflow`
   * do, and so does any other word, and a tree without a kind.
   */
  readonly kinds?: Readonly<Record<string, KindOptions>> | undefined
}

/** Which trees of an owner are meant. */
export interface OwnerFilter {
  /** Only trees of this kind. Default: of any, or none. */
  readonly kind?: string | undefined
  /** Also the trees of all owners below. Default: true. */
  readonly recursive?: boolean | undefined
}

/** Options of {@link Owner.stop}. */
export interface OwnerStopOptions extends OwnerFilter {
  /** Milliseconds for all of them. Default: each tree's own budget. */
  readonly budget?: number | undefined
  /** Why, for events and logs. Default: none. */
  readonly reason?: string | undefined
}

/** Options of {@link Owner.release}. */
export interface ReleaseOptions {
  /** Milliseconds for everything below the owner. Default: the owner's. */
  readonly budget?: number | undefined
  /** Why, for events and logs. Default: none. */
  readonly reason?: string | undefined
}

/**
 * `starting`: asked for, not running yet. `exited`: the command has ended, descendants have not. `stopping`: a stop
 * was asked for. `survivors`: settled, and something could not be ended.
 */
export type ListedState = 'starting' | 'running' | 'exited' | 'stopping' | 'survivors'

/** One tree in a list. */
export interface TreeEntry {
  readonly id: string
  /** `null` while it is being started. */
  readonly pid: number | null
  readonly kind: string | null
  readonly label: string | null
  /** Ids of the owners from the root down. */
  readonly owner: readonly string[]
  /** Whether it is work in progress, by its kind. */
  readonly unfinished: boolean
  readonly cwd: string
  readonly argv: readonly string[]
  /** Path of its log. */
  readonly log: string | null
  /** When the spawn was asked for, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly state: ListedState
  /** Milliseconds of CPU time of all living processes of the tree; `null`: its keeper did not answer in time. */
  readonly cpuTime: number | null
  /** Bytes resident, of all of them; pages that they share count more than once. */
  readonly memory: number | null
  /** How many there are. */
  readonly processes: number | null
}

/** One tree that a release has stopped. */
export interface ReleasedTree {
  readonly id: string
  readonly pid: number | null
  /** Whose it was. */
  readonly owner: readonly string[]
  readonly kind: string | null
  readonly label: string | null
  readonly settlement: Settlement
}

/** What a release came to. */
export interface Release {
  readonly owner: readonly string[]
  /** `empty` when every tree is. */
  readonly outcome: 'empty' | 'survivors'
  /** Those that lived when it was first called, the oldest first. */
  readonly trees: readonly ReleasedTree[]
  /** Milliseconds from that call. */
  readonly elapsed: number
}

/**
 * Who trees belong to: a named node of a hierarchy, for example session > turn > call. It sees, lists and stops its
 * own trees and those of the owners below it, and no others.
 */
export interface Owner extends AsyncDisposable {
  readonly id: string
  /** Ids from the root down, its own the last. */
  readonly path: readonly string[]
  readonly parent: Owner | null
  /** True as soon as `release()` was called, here or above: nothing new is taken. */
  readonly released: boolean
  /**
   * An owner below this one.
   *
   * @throws {OwnerExistsError} when a child with this id lives.
   * @throws {OwnerReleasedError} {@link InvalidOptionError}
   */
  child(id: string, options?: OwnerOptions): Owner
  /** As {@link spawn}, and the tree belongs to this owner. Rejects with {@link OwnerReleasedError} after a release. */
  readonly spawn: typeof spawn
  /** As {@link run}, and the tree belongs to this owner. Rejects with {@link OwnerReleasedError} after a release. */
  readonly run: typeof run
  /**
   * What is there now, the oldest first. Each keeper is asked for its processes; one that does not answer within two
   * seconds has `null`s. Rejects with {@link OwnerReleasedError} once the owner is released and nothing is left.
   */
  list(filter?: OwnerFilter): Promise<TreeEntry[]>
  /** Whether work is in progress here or below: a tree whose kind counts, and that has not settled. */
  unfinished(): boolean
  /**
   * The command with this id, of this owner or of one below.
   *
   * @throws {UnknownTreeError} for any other id: of another owner, of a tree that has ended or is still being started.
   */
  get(id: string): Subprocess
  /**
   * Stops what is there now and was asked for; the owner stays. Resolves when all have settled, the oldest first.
   * Rejects with {@link OwnerReleasedError} once the owner is released and nothing is left.
   */
  stop(options?: OwnerStopOptions): Promise<Settlement[]>
  /**
   * Takes nothing new from now on, and stops everything below within one budget: all trees in parallel, those of the
   * deepest owners first. Calling it again joins the running release, and the earliest deadline wins; after the end it
   * gives the same answer. The id is free again at the end. Rejects only for an option that is not valid.
   */
  release(options?: ReleaseOptions): Promise<Release>
  /** `release()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
