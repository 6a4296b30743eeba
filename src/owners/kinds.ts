// What a tree's kind says about it: whether it is work that somebody waits for. A dev server that a user looks at is
// not; a subagent is. Each owner has its own words, and hands them down.

import { InvalidOptionError } from '../errors.js'
import { checkNonEmptyString, checkObject } from '../validate.js'

/** What a kind says about its trees. */
export interface KindOptions {
  /** Whether a tree of this kind is unfinished work as long as it runs. */
  readonly unfinished: boolean
}

export type Kinds = ReadonlyMap<string, KindOptions>

export const DEFAULT_KINDS: Kinds = new Map([
  ['bash', { unfinished: false }],
  ['subagent', { unfinished: true }],
  ['workflow', { unfinished: true }],
])

/** The inherited kinds, with those of an option on top. */
export function kindsPlan(inherited: Kinds, option: unknown): Kinds {
  if (option === undefined) return inherited
  checkObject(option, 'kinds')
  const kinds = new Map(inherited)
  for (const [name, about] of Object.entries(option as Record<string, unknown>)) {
    checkNonEmptyString(name, 'kinds')
    kinds.set(name, checkedKind(name, about))
  }
  return kinds
}

/**
 * A word that nobody has explained counts, and so does no word at all: who asks "may I go?" is better told once too
 * often that there is work than once too rarely.
 */
export function countsAsUnfinished(kinds: Kinds, kind: string | undefined): boolean {
  return kind === undefined || (kinds.get(kind)?.unfinished ?? true)
}

function checkedKind(name: string, about: unknown): KindOptions {
  const unfinished: unknown =
    typeof about === 'object' && about !== null ? Reflect.get(about, 'unfinished') : undefined
  if (typeof unfinished === 'boolean') return { unfinished }
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_TYPE',
    option: `kinds.${name}`,
    must: 'be { unfinished: true } or { unfinished: false }',
    value: about,
    fix: 'Say whether a tree of this kind is unfinished work',
  })
}
