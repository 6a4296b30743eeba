// Reads /proc from outside the host, with plain fs: the tests' own eyes, which share no code with the product.
// A process is named by pid and start time, never by its pid alone. State Z (and X) counts as dead.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface ProcessId {
  readonly pid: number
  /** Clock ticks since boot. */
  readonly startTime: number
}

export interface ProcessStat extends ProcessId {
  readonly comm: string
  readonly state: string
  readonly ppid: number
  readonly pgid: number
  readonly sid: number
}

/** The fields start after the last `)`: a program may have brackets and blanks in its name. */
export function parseStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(')
  const close = text.lastIndexOf(')')
  if (open < 0 || close < open) return undefined
  const fields = text.slice(close + 2).split(' ')
  return {
    pid: Number(text.slice(0, open)),
    comm: text.slice(open + 1, close),
    state: fields[0] ?? '?',
    ppid: Number(fields[1]),
    pgid: Number(fields[2]),
    sid: Number(fields[3]),
    startTime: Number(fields[19]),
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'latin1')
  } catch {
    // Gone, or another user's: either way there is nothing to read.
    return undefined
  }
}

export function readStat(pid: number): ProcessStat | undefined {
  const text = readProc(`${pid}/stat`)
  return text === undefined ? undefined : parseStat(text)
}

export function isDeadState(state: string): boolean {
  return state === 'Z' || state === 'X' || state === 'x'
}

export function isAlive(id: ProcessId): boolean {
  const stat = readStat(id.pid)
  return stat !== undefined && stat.startTime === id.startTime && !isDeadState(stat.state)
}

/** Throws where there is no such process: a test that means a living one must not go on with a guess. */
export function identify(pid: number): ProcessId {
  const stat = readStat(pid)
  if (stat === undefined) throw new Error(`there is no process ${pid}`)
  return { pid, startTime: stat.startTime }
}

export function stateOf(id: ProcessId): string | undefined {
  const stat = readStat(id.pid)
  return stat?.startTime === id.startTime ? stat.state : undefined
}

/** Every process, zombies included. */
export function listProcesses(): ProcessStat[] {
  const found: ProcessStat[] = []
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = readStat(Number(name))
    if (stat !== undefined) found.push(stat)
  }
  return found
}

/** Everything below `root`, which isn't part of the answer; zombies included. */
export function descendantsOf(root: number, table: readonly ProcessStat[] = listProcesses()): ProcessStat[] {
  const children = new Map<number, ProcessStat[]>()
  for (const stat of table) {
    const siblings = children.get(stat.ppid)
    if (siblings === undefined) children.set(stat.ppid, [stat])
    else siblings.push(stat)
  }
  const found: ProcessStat[] = []
  const queue = [root]
  for (let pid = queue.shift(); pid !== undefined; pid = queue.shift()) {
    for (const child of children.get(pid) ?? []) {
      found.push(child)
      queue.push(child.pid)
    }
  }
  return found
}

export function childrenOf(pid: number): ProcessStat[] {
  return listProcesses().filter((stat) => stat.ppid === pid)
}

/** The children of all threads of a process, by its own lists: without a look at everybody else. */
export function listedChildren(pid: number): number[] {
  let tasks: string[] = []
  try {
    tasks = readdirSync(`/proc/${pid}/task`)
  } catch {
    // Gone.
  }
  return tasks.flatMap((task) =>
    (readProc(`${pid}/task/${task}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
}

export function zombieChildrenOf(pid: number): ProcessStat[] {
  return childrenOf(pid).filter((stat) => stat.state === 'Z')
}

export function argvOf(pid: number): string[] {
  const text = readProc(`${pid}/cmdline`)
  return text === undefined || text === '' ? [] : text.replace(/\0$/, '').split('\0')
}

/** Whether the environment that the process was started with has this variable. */
export function hasVariable(pid: number, variable: string): boolean {
  const text = readProc(`${pid}/environ`)
  return text?.split('\0').includes(variable) ?? false
}

/** Living processes that were started with `name=value` in their environment. */
export function carriersOf(variable: string, table: readonly ProcessStat[] = listProcesses()): ProcessStat[] {
  return table.filter((stat) => !isDeadState(stat.state) && hasVariable(stat.pid, variable))
}

/** A line of /proc/PID/status, for example `SigBlk` or `VmRSS`. */
export function statusOf(pid: number, field: string): string {
  const line = readProc(`${pid}/status`)
    ?.split('\n')
    .find((entry) => entry.startsWith(`${field}:`))
  if (line === undefined) throw new Error(`process ${pid} has no ${field}`)
  return line.slice(field.length + 1).trim()
}

/** Resident bytes. */
export function residentBytes(pid: number): number {
  return Number.parseInt(statusOf(pid, 'VmRSS'), 10) * 1024
}

export function threadCount(pid: number): number {
  return Number(statusOf(pid, 'Threads'))
}

/** Open descriptors: number to what it is, as the links of /proc/PID/fd say. */
export function descriptorsOf(pid: number): Map<number, string> {
  const found = new Map<number, string>()
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      found.set(Number(name), readlinkSync(`/proc/${pid}/fd/${name}`))
    } catch {
      // Closed since the folder was read.
    }
  }
  return found
}

export function executableOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return ''
  }
}

export function describeProcess(stat: ProcessStat): string {
  const argv = argvOf(stat.pid).join(' ').slice(0, 160) || `[${stat.comm}]`
  return `pid ${stat.pid} (parent ${stat.ppid}, session ${stat.sid}, state ${stat.state}): ${argv}`
}

/** Ends one process by SIGKILL if the number is still its own. Only for what a test itself has to clear away. */
export function endProcess(id: ProcessId): void {
  if (!isAlive(id)) return
  try {
    process.kill(id.pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
