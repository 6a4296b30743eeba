// The options of `procleash run` that drop privileges, in the words of setpriv(1) and docker-run(1).

import {
  type CapabilityChange,
  type CapabilityName,
  capabilityNames,
  type RightsOptions,
} from '../rights/types.js'
import { UsageError } from './usage.js'

export const rightsOptions = {
  uid: { type: 'string' },
  gid: { type: 'string' },
  groups: { type: 'string' },
  'cap-keep': { type: 'string' },
  'cap-drop': { type: 'string' },
  'no-new-privs': { type: 'boolean' },
} as const

type Values = { readonly [Name in keyof typeof rightsOptions]?: string | boolean | undefined }

export function toRights(values: Values, help: string): RightsOptions {
  const text = (name: keyof Values): string | undefined => values[name] as string | undefined
  const groups = text('groups')
  return {
    uid: toId('--uid', text('uid'), help),
    gid: toId('--gid', text('gid'), help),
    groups:
      groups === undefined ? undefined : words(groups).map((word) => Number(toId('--groups', word, help))),
    capabilities: toChange(text('cap-keep'), text('cap-drop'), help),
    noNewPrivileges: values['no-new-privs'] === true ? true : undefined,
  }
}

/** An empty list is a list. */
function words(text: string): readonly string[] {
  return text === '' ? [] : text.split(',')
}

function toId(option: string, text: string | undefined, help: string): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32 - 1) return Number(text)
  throw new UsageError(`${option} takes numbers, as id(1) prints them; got '${text}'`, help)
}

function toChange(
  keep: string | undefined,
  drop: string | undefined,
  help: string,
): CapabilityChange | undefined {
  if (keep !== undefined && drop !== undefined) {
    throw new UsageError('only one of --cap-keep and --cap-drop is taken', help)
  }
  if (keep !== undefined) return { keep: words(keep).map((word) => toName('--cap-keep', word, help)) }
  if (drop === undefined) return undefined
  // What a newer kernel knows beyond our names goes as well.
  if (drop.toLowerCase() === 'all') return { keep: [] }
  return { drop: words(drop).map((word) => toName('--cap-drop', word, help)) }
}

/** `NET_RAW`, `CAP_NET_RAW` or `net_raw`. */
function toName(option: string, word: string, help: string): CapabilityName {
  const upper = word.toUpperCase()
  const full = upper.startsWith('CAP_') ? upper : `CAP_${upper}`
  const name = capabilityNames.find((known) => known === full)
  if (name !== undefined) return name
  throw new UsageError(`${option} takes names of capabilities(7), like NET_RAW; got '${word}'`, help)
}
