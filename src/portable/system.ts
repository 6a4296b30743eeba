// What a tree without a keeper needs of the operating system: a list of processes, and signals.

import type { ProcessInfo } from '../types.js'
import { listProcesses, listProcessesNow } from './ps.js'
import { signalGroup, signalProcess } from './signal.js'
import { listWindowsProcesses, taskkill, taskkillTree } from './windows.js'

/** One line of the system's list. `startTime` is seconds since the epoch; 0 stands for an id that is not known. */
export interface Row extends Omit<ProcessInfo, 'escaped'> {
  /** Ids of the trees that it belongs to, joined by colons, as its environment says; empty where that is not shown. */
  readonly mark: string
}

/** What became of a signal: `gone` is nobody there, `denied` somebody whom this user may not signal. */
export type Sent = 'sent' | 'gone' | 'denied'

export interface System {
  /** `null` where there is no list to be had. */
  list(): Promise<readonly Row[] | null>
  /** The same, for the host's last moment. */
  listNow(): readonly Row[] | null
  /** Signal 0 only asks. */
  signal(pid: number, signo: number): Sent
  /** To the group that the command leads; in Windows, which has none, to the command and its descendants. */
  signalGroup(leader: number, signo: number): Sent
  /** What no list here shows, for `capabilities()`. */
  readonly limits: readonly string[]
}

const posix: System = {
  list: listProcesses,
  listNow: listProcessesNow,
  signal: signalProcess,
  signalGroup,
  limits: [
    'group: an orphan that has left group and session is found by its environment only, where ps shows that',
    'group: a host that is killed stops nothing, and a blocked event loop holds up timeouts and stops',
  ],
}

const windows: System = {
  list: listWindowsProcesses,
  // PowerShell would take a second; taskkill finds descendants by itself.
  listNow: () => null,
  signal: taskkill,
  signalGroup: taskkillTree,
  limits: ['group: there is no signal but the end of a process, and no proof that none is left'],
}

export const system: System = process.platform === 'win32' ? windows : posix
