// The rights of a process, as /proc/PID/status tells.

import { expect } from 'vitest'
import type { RightsOptions } from '../../src/rights/types.js'
import type { Host } from './host.js'
import { readStat, statusOf } from './proc.js'
import { waitUntil } from './wait.js'

interface Rights {
  readonly uid: string
  readonly gid: string
  readonly groups: string
  readonly noNewPrivileges: string
  readonly inheritable: bigint
  readonly permitted: bigint
  readonly effective: bigint
  readonly bounding: bigint
  readonly ambient: bigint
}

export function rightsOf(pid: number): Rights {
  const words = (field: string) => statusOf(pid, field).split(/\s+/).join(' ')
  const set = (field: string) => BigInt(`0x${statusOf(pid, field)}`)
  return {
    uid: words('Uid'),
    gid: words('Gid'),
    groups: words('Groups'),
    noNewPrivileges: words('NoNewPrivs'),
    inheritable: set('CapInh'),
    permitted: set('CapPrm'),
    effective: set('CapEff'),
    bounding: set('CapBnd'),
    ambient: set('CapAmb'),
  }
}

/** Of a command that is started so, after its exec. */
export async function rightsWith(host: Host, options: RightsOptions): Promise<Rights> {
  const command = await host.spawn('sleep', ['60'], options)
  await waitUntil(() => readStat(command.pid)?.comm === 'sleep', 10_000, 'the command runs')
  const rights = rightsOf(command.pid)
  expect(await command.stop()).toMatchObject({ outcome: 'empty', proof: 'subreaper' })
  return rights
}

/** An id as real, effective, saved and file system id. */
export const four = (id: number) => Array.from({ length: 4 }, () => id).join(' ')
