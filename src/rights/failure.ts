// What it means that a step of dropping privileges was refused.

import { StartStep } from '../../bindings/native.js'
import type { RightsOptions } from './types.js'

interface Refusal {
  readonly syscall: string
  readonly doing: string
  readonly option: keyof RightsOptions
  /** For EPERM. */
  readonly fix: string
}

const SET_GID = 'It takes CAP_SETGID: start this program with it, or leave the option out'

const refusals: ReadonlyMap<number, Refusal> = new Map([
  [StartStep.groups, { syscall: 'setgroups', doing: 'set the groups', option: 'groups', fix: SET_GID }],
  [StartStep.gid, { syscall: 'setresgid', doing: 'set the group id', option: 'gid', fix: SET_GID }],
  [
    StartStep.boundingSet,
    {
      syscall: 'prctl',
      doing: 'reduce the bounding set',
      option: 'capabilities',
      fix: 'It takes CAP_SETPCAP; noNewPrivileges takes no right at all',
    },
  ],
  [
    StartStep.uid,
    {
      syscall: 'setresuid',
      doing: 'set the user id',
      option: 'uid',
      fix: 'It takes CAP_SETUID: start this program with it, or leave the option out',
    },
  ],
  [
    StartStep.capabilities,
    {
      syscall: 'capset',
      doing: 'set the capabilities',
      option: 'capabilities',
      fix: 'Keep only what this program has itself: CapPrm in /proc/self/status',
    },
  ],
  [
    StartStep.noNewPrivileges,
    {
      syscall: 'prctl',
      doing: 'set no_new_privs',
      option: 'noNewPrivileges',
      fix: 'See the security policy of this container or user',
    },
  ],
  [
    StartStep.unstoppable,
    {
      syscall: 'kill',
      doing: 'start what could not be stopped again',
      option: 'uid',
      fix: 'To signal another user it takes CAP_KILL: start this program with it',
    },
  ],
])

/** `undefined` for any other step. */
export function rightsRefusal(
  step: number,
  code: string,
  options: RightsOptions,
):
  | {
      readonly syscall: string
      readonly doing: string
      readonly value: unknown
      readonly fix: string | undefined
    }
  | undefined {
  const refusal = refusals.get(step)
  if (refusal === undefined) return undefined
  const { syscall, doing, option, fix } = refusal
  const fixes: Readonly<Record<string, string>> = {
    EPERM: fix,
    EINVAL: 'The id has no place in this user namespace: see /proc/self/uid_map and gid_map',
  }
  return { syscall, doing, value: options[option] ?? options.uid ?? options.gid, fix: fixes[code] }
}
