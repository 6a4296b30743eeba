// Windows: processes by PowerShell, their end by taskkill. Not run so far: the text that is parsed here was written
// down after Microsoft's documentation of Win32_Process and taskkill.

import { execFile } from 'node:child_process'
import type { Row, Sent } from './system.js'

const PATIENCE = 10_000
const LARGEST = 64 * 1024 * 1024

const QUERY =
  'Get-CimInstance Win32_Process | ForEach-Object { "{0} {1} {2} {3} {4}" -f ' +
  '$_.ProcessId, $_.ParentProcessId, $(if ($_.CreationDate) ' +
  '{ ([DateTimeOffset]$_.CreationDate).ToUnixTimeSeconds() } else { 0 }), $_.WorkingSetSize, $_.CommandLine }'

export function listWindowsProcesses(): Promise<readonly Row[] | null> {
  return new Promise((resolve) => {
    execFile(
      'powershell.exe',
      ['-NoProfile', '-NonInteractive', '-Command', QUERY],
      { timeout: PATIENCE, maxBuffer: LARGEST, windowsHide: true },
      (error, stdout) => resolve(error === null ? parseWindowsProcesses(stdout) : null),
    )
  })
}

/** Pure. `null` when no line makes sense. A parent that is younger than its child has the number of a dead one. */
export function parseWindowsProcesses(text: string): readonly Row[] | null {
  const rows = text
    .split(/\r?\n/)
    .map(parseLine)
    .filter((row) => row !== undefined)
  if (rows.length === 0) return null
  const starts = new Map(rows.map(({ pid, startTime }) => [pid, startTime]))
  return rows.map((row) => ((starts.get(row.ppid) ?? 0) > row.startTime ? { ...row, ppid: 0 } : row))
}

function parseLine(line: string): Row | undefined {
  const fields = /^(\d+) (\d+) (\d+) (\d+) ?(.*)$/.exec(line)
  if (fields === null) return undefined
  const [, pid, ppid, startTime, memory, command = ''] = fields
  return {
    pid: Number(pid),
    ppid: Number(ppid),
    pgid: 0,
    sid: 0,
    startTime: Number(startTime),
    cpuTime: 0,
    memory: Number(memory),
    threads: 0,
    state: '?',
    argv: command === '' ? [] : [command],
    mark: '',
  }
}

const SIGKILL = 9

/** Any signal but SIGKILL asks windows to close, which a console program may not hear. 0 only asks who is there. */
export function taskkill(pid: number, signo: number): Sent {
  return kill(pid, signo, [])
}

export function taskkillTree(leader: number, signo: number): Sent {
  return kill(leader, signo, ['/T'])
}

function kill(pid: number, signo: number, more: readonly string[]): Sent {
  if (pid <= 4 || pid === process.pid || pid === process.ppid) return 'denied'
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH' ? 'gone' : 'denied'
  }
  if (signo === 0) return 'sent'
  const force = signo === SIGKILL ? ['/F'] : []
  // What came of it is seen in the next list.
  execFile('taskkill.exe', ['/PID', String(pid), ...more, ...force], { windowsHide: true }, () => {})
  return 'sent'
}
