// The sockets of ours can't be reached by a command: it has none of them, none has a name, and helpers neither let
// themselves be traced nor give their descriptors away, though the command runs as the same user.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { descriptorsOf, readStat } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds, python } from '../support/tools.js'
import { waitUntil } from '../support/wait.js'

const NOBODY = 65_534
const intruder = fileURLToPath(new URL('intruder.py', import.meta.url))

interface Findings {
  readonly descriptors: Readonly<Record<string, string>>
  readonly keeper: Readonly<Record<string, string>>
  readonly supervisor: Readonly<Record<string, string>>
  readonly control: Readonly<Record<string, string>>
}

async function intrude(host: Host) {
  const command = await host.spawn(python, [intruder])
  let said = ''
  const tells = async () => {
    const { stdout, stderr } = await command.output()
    if (stderr !== '') throw new Error(stderr)
    said = stdout
    return said.endsWith('\n')
  }
  await waitUntil(tells, 20_000, 'the intruder tells what it has found')
  return { command, findings: JSON.parse(said) as Findings }
}

/** Of the UNIX sockets that a process holds: the names. */
function socketNames(pid: number): string[] {
  const inodes = new Set(
    [...descriptorsOf(pid).values()].flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.slice(1) ?? []),
  )
  // Num RefCount Protocol Flags Type St Inode Path: unix(7), /proc/net/unix.
  const rows = readFileSync('/proc/net/unix', 'latin1').trim().split('\n').slice(1)
  const ours = rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , , , , inode = '']) => inodes.has(inode))
  return ours.map((columns) => columns[7] ?? '')
}

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(
    ['root', 'setpriv'],
    'a command of the same user reaches neither keeper nor supervisor',
    async () => {
      const host = await startHost(runtime, { user: NOBODY })
      const { command, findings } = await intrude(host)

      expect(findings.descriptors).toEqual({ 0: 'device', 1: 'pipe', 2: 'pipe' })
      // What a seccomp filter or Yama forbids of its own child shows nothing.
      const possible = Object.keys(findings.control).filter((name) => findings.control[name] === 'done')
      expect(possible).toContain('list descriptors')
      expect(possible).toContain('read environment')
      for (const name of possible) {
        expect(findings.keeper[name], `keeper: ${name}`).toMatch(/^(EPERM|EACCES)$/)
        expect(findings.supervisor[name], `supervisor: ${name}`).toMatch(/^(EPERM|EACCES)$/)
      }

      const keeper = readStat(command.pid)?.ppid ?? 0
      const supervisor = readStat(keeper)?.ppid ?? 0
      for (const pid of [keeper, supervisor]) {
        const names = socketNames(pid)
        expect(names.length).toBeGreaterThan(0)
        expect(names.filter((name) => name !== '')).toEqual([])
      }
      expect(await command.stop()).toMatchObject({ outcome: 'empty' })
    },
  )
})

it('control: a socket with a name is seen', async () => {
  const script = `
import os, socket, sys
one = socket.socket(socket.AF_UNIX)
one.bind(f'\\0procleash-test-{os.getpid()}')
print('bound', flush=True)
sys.stdin.read()
`
  const child = spawn(python, ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  try {
    await once(child.stdout, 'data')
    expect(socketNames(child.pid ?? 0)).toContain(`@procleash-test-${child.pid}`)
  } finally {
    child.stdin.end()
    await ended
  }
})
