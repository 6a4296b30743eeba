// The lists that ps(1) of different systems gives, read without ps.

import { describe, expect, it } from 'vitest'
import { isTorn, parseProcesses } from '../../src/portable/ps.js'
import { parseWindowsProcesses } from '../../src/portable/windows.js'

const LINUX = `
      1       0       1       1 Ss    1796 1-02:03:04 Sun Nov 29 18:29:53 2026 /sbin/init
   2200    2100    2200    2200 S+   10240    00:00:07 Sun Nov  1 08:05:06 2026 node main.js --flag
   2201    2200    2200    2200 Z        0    00:00:00 Sun Nov 29 19:25:45 2026 [sh] <defunct>
   2202    2200       0       - I        0    00:00:00 Sun Nov 29 19:25:45 2026 [kworker/0:1-events]
   2203    2200    2203    2203 Dl     512    00:00:00 Sun Nov 29 19:25:45 2026
`

const MACOS = `
    1     0     1 Ss    14432   3:12.45 Sat Nov 28 09:00:01 2026 /sbin/launchd
  501   500   501 U+     2048   0:00.03 Sun Nov 29 10:11:12 2026 -zsh
`

describe('lists of ps', () => {
  it('of Linux', () => {
    const rows = parseProcesses(LINUX, true, '')!
    expect(rows.map(({ pid, ppid, pgid, sid, state }) => [pid, ppid, pgid, sid, state])).toEqual([
      [1, 0, 1, 1, 'S'],
      [2200, 2100, 2200, 2200, 'S'],
      [2201, 2200, 2200, 2200, 'Z'],
      [2202, 2200, 0, 0, 'I'],
      [2203, 2200, 2203, 2203, 'D'],
    ])
    expect(rows[0]).toMatchObject({ cpuTime: (26 * 3600 + 184) * 1000, memory: 1796 * 1024, threads: 0 })
    expect(rows[1]!.argv).toEqual(['node', 'main.js', '--flag'])
    expect(rows[2]!.argv).toEqual([])
    expect(rows[1]!.startTime).toBe(Date.parse('Nov 1 2026 08:05:06') / 1000)
  })

  it('of macOS, without sessions, with hundredths', () => {
    const rows = parseProcesses(MACOS, false, '')!
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatchObject({ pid: 1, pgid: 1, sid: 0, state: 'S', cpuTime: 192_450 })
    expect(rows[1]).toMatchObject({ pid: 501, ppid: 500, state: 'D', cpuTime: 30, argv: ['-zsh'] })
  })

  it('finds the mark in environments, and not among arguments', () => {
    const list = `
  10     1    10    10 S  4 00:00:00 Sun Nov 29 19:25:45 2026 sleep 60
  11     1    11    11 S  4 00:00:00 Sun Nov 29 19:25:45 2026 grep PROCLEASH_TREE=abc-1
  12     1    12    12 S  4 00:00:00 Sun Nov 29 19:25:45 2026 sleep 60
  13     1    13    13 S  4 00:00:00 Sun Nov 29 19:25:45 2026 other`
    const environments = `
  10 sleep 60 HOME=/root PROCLEASH_TREE=outer:abc-1 SHELL=/bin/sh
  11 grep PROCLEASH_TREE=abc-1 HOME=/root
  12 sleep 60 HOME=/root
  13 another by now PROCLEASH_TREE=abc-1`
    const rows = parseProcesses(list, true, environments)!
    expect(rows.map(({ mark }) => mark)).toEqual(['outer:abc-1', '', '', ''])
  })

  it('says when somebody with a mark has come or changed between the two lists', () => {
    const list = '  10     1    10    10 S  4 00:00:00 Sun Nov 29 19:25:45 2026 setsid sleep 60'
    const rows = parseProcesses(list, true, '')!
    expect(isTorn(rows, '10 setsid sleep 60 PROCLEASH_TREE=abc-1\n11 ps -A HOME=/root')).toBe(false)
    expect(isTorn(rows, '10 sleep 60 PROCLEASH_TREE=abc-1')).toBe(true)
    expect(isTorn(rows, '11 sleep 60 PROCLEASH_TREE=abc-1')).toBe(true)
  })

  it.each(['', 'ps: unknown option', '  1 2 3 nonsense\n'])('that make no sense are none: %j', (text) => {
    expect(parseProcesses(text, true, text)).toBeNull()
  })
})

describe('lists of PowerShell', () => {
  it('are read, and a parent that is younger than its child is none', () => {
    const rows = parseWindowsProcesses(
      '4 0 0 1024 \r\n100 4 1795980000 2048 C:\\a b\\node.exe main.js\r\n200 100 1795979000 4096 old.exe\r\n',
    )!
    expect(rows.map(({ pid, ppid }) => [pid, ppid])).toEqual([
      [4, 0],
      [100, 4],
      [200, 0],
    ])
    expect(rows[1]).toMatchObject({ startTime: 1_795_980_000, argv: ['C:\\a b\\node.exe main.js'] })
    expect(parseWindowsProcesses('Get-CimInstance : Access denied')).toBeNull()
  })
})
