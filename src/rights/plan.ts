// The options that drop privileges: what is valid, and how native code takes it.

import { RightsFlag } from '../../bindings/native.js'
import { InvalidOptionError } from '../errors.js'
import { checkBoolean, checkCount, checkObject, checkOneOf } from '../validate.js'
import { type CapabilityName, capabilityNames, type RightsOptions } from './types.js'

/** 2^32-1 means "leave it as it is" to setresuid(2). */
const MAX_ID = 2 ** 32 - 2

/** kMaxGroups in native/core/rights.h. */
const MAX_GROUPS = 64

export interface RightsPlan {
  /** {@link RightsFlag}s of what is given; 0: the command has the host's rights. */
  readonly flags: number
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
  /** Bits by number; below 2^53, and so exact in a double. */
  readonly capabilities: number
  /** As they were given, for messages. */
  readonly options: RightsOptions
}

export function rightsPlan({ uid, gid, groups, capabilities, noNewPrivileges }: RightsOptions): RightsPlan {
  if (uid !== undefined) checkId(uid, 'uid')
  if (gid !== undefined) checkId(gid, 'gid')
  if (groups !== undefined) checkGroups(groups)
  if (noNewPrivileges !== undefined) checkBoolean(noNewPrivileges, 'noNewPrivileges')
  const change = capabilities === undefined ? undefined : namedCapabilities(capabilities)
  return {
    flags:
      (uid === undefined ? 0 : RightsFlag.uid) |
      (gid === undefined ? 0 : RightsFlag.gid) |
      (groups === undefined ? 0 : RightsFlag.groups) |
      (noNewPrivileges === true ? RightsFlag.noNewPrivileges : 0) |
      (change === undefined ? 0 : RightsFlag[change.how]),
    uid: uid ?? 0,
    gid: gid ?? 0,
    groups: [...(groups ?? [])],
    capabilities: change?.names.reduce((mask, name) => mask + 2 ** capabilityNames.indexOf(name), 0) ?? 0,
    options: { uid, gid, groups, capabilities, noNewPrivileges },
  }
}

function checkId(value: unknown, option: string): void {
  checkCount(value, option, MAX_ID, 'Give the number, as id(1) prints it')
}

function checkGroups(groups: unknown): void {
  if (!Array.isArray(groups)) throw notAList(groups, 'groups', 'group ids', 'Give [] for none')
  for (const [index, group] of groups.entries()) checkId(group, `groups[${index}]`)
  if (groups.length <= MAX_GROUPS) return
  throw new InvalidOptionError({
    code: 'ERR_OUT_OF_RANGE',
    option: 'groups',
    must: `have at most ${MAX_GROUPS} ids`,
    value: groups,
    fix: 'Give those that the command needs',
  })
}

function namedCapabilities(change: unknown): {
  readonly how: 'keep' | 'drop'
  readonly names: readonly CapabilityName[]
} {
  checkObject(change, 'capabilities')
  const given = Object.entries(change as object).filter(([, value]) => value !== undefined)
  const [[how, names] = ['', undefined]] = given
  if (given.length !== 1 || (how !== 'keep' && how !== 'drop')) {
    throw new InvalidOptionError({
      code: 'ERR_INVALID_ARG_VALUE',
      option: 'capabilities',
      must: 'have either keep or drop, and nothing else',
      value: change,
      fix: 'Give { keep: [] } to drop all',
    })
  }
  const option = `capabilities.${how}`
  if (!Array.isArray(names)) throw notAList(names, option, 'names', "Give names like 'CAP_NET_RAW'")
  for (const [index, name] of names.entries()) checkOneOf(name, `${option}[${index}]`, capabilityNames)
  return { how, names: [...new Set(names as CapabilityName[])] }
}

function notAList(value: unknown, option: string, what: string, fix: string): InvalidOptionError {
  return new InvalidOptionError({
    code: 'ERR_INVALID_ARG_TYPE',
    option,
    must: `be an array of ${what}`,
    value,
    fix,
  })
}
