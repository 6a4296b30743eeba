// What this machine offers to tests that need more than a runtime. A test that lacks something says so in its title.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { release } from 'node:os'
import { it } from 'vitest'
import { missingCgroup } from './cgroup.js'
import { missingController } from './controller.js'
import { isTurnedOff } from './features.js'
import { sanitizer } from './sanitizer.js'

/** The interpreter itself rather than a version manager's shim, which other users may not be able to read. */
export const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

export type Requirement =
  | 'root'
  | 'freezer'
  | 'cgroup'
  | 'cgroup-controllers'
  | 'memory-cgroup'
  | 'pids-cgroup'
  | 'pid-namespace'
  | 'user-namespace'
  | 'mount-namespace'
  | 'memfd-rule'
  | 'small-pid-max'
  | 'cc'
  | 'setpriv'
  | 'prlimit'
  | 'another-runtime'
  | 'process-events'
  | 'denort'
  | 'vfork'

const reasons: Record<Requirement, () => string | undefined> = {
  root: () => (process.getuid?.() === 0 ? undefined : 'needs root'),
  freezer: () =>
    existsSync('/sys/fs/cgroup/freezer/cgroup.procs')
      ? undefined
      : 'needs a cgroup v1 freezer at /sys/fs/cgroup/freezer',
  cgroup: () => missingCgroup(),
  'cgroup-controllers': () => missingCgroup(['memory', 'pids', 'cpu']),
  'memory-cgroup': () => missingController('memory'),
  'pids-cgroup': () => missingController('pids'),
  'pid-namespace': () =>
    succeeds('unshare', ['--pid', '--fork', 'true']) ? undefined : 'needs the right to make a PID namespace',
  // As an ordinary user: root may make one where others may not.
  'user-namespace': () =>
    makesUserNamespaces() ? undefined : 'needs the right to make a user namespace, as an ordinary user',
  'mount-namespace': () =>
    succeeds('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'])
      ? undefined
      : 'needs the right to mount, in a namespace of its own',
  // The rule is a PID namespace's, so that it can be set for one program alone.
  'memfd-rule': () =>
    succeeds('unshare', ['--pid', '--fork', '--mount-proc', 'sh', '-c', 'echo 2 >/proc/sys/vm/memfd_noexec'])
      ? undefined
      : 'needs vm.memfd_noexec (Linux 6.3), and the right to set it in a PID namespace',
  // Before, the file is the whole machine's, and may not even be tried.
  'small-pid-max': () =>
    linuxIsAtLeast(6, 14) && succeeds('unshare', ['--pid', '--fork', '--mount-proc', 'true'])
      ? undefined
      : 'needs a pid_max of each PID namespace (Linux 6.14), and the right to make one',
  setpriv: () => (succeeds('setpriv', ['--version']) ? undefined : 'needs setpriv(1)'),
  'process-events': () =>
    !isTurnedOff('proc_events') && hearsProcessEvents()
      ? undefined
      : 'needs the process events connector, outside containers and with the right to listen',
  cc: () => (succeeds('cc', ['--version']) ? undefined : 'needs a C compiler'),
  'another-runtime': () => 'needs another runtime',
  denort: () =>
    process.env.DENORT_BIN === undefined
      ? 'needs DENORT_BIN, a file that deno compile would download'
      : undefined,
  vfork: () =>
    sanitizer === 'thread'
      ? 'needs a vfork(2) that shares memory: the thread sanitizer makes it a fork'
      : undefined,
  prlimit: () => (succeeds('prlimit', ['--version']) ? undefined : 'needs prlimit(1)'),
}

function linuxIsAtLeast(major: number, minor: number): boolean {
  const [hasMajor = 0, hasMinor = 0] = release().split('.').map(Number)
  return hasMajor > major || (hasMajor === major && hasMinor >= minor)
}

/** Asks as recorders do, and has the answer: LISTEN for CN_IDX_PROC, see drivers/connector/cn_proc.c. */
const listenForEvents = `
import socket, struct
events = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 11)
events.bind((0, 1))
events.settimeout(1)
request = struct.pack('=IIIIHHI', 1, 1, 0, 4711, 4, 0, 1)
events.send(struct.pack('=IHHII', 16 + len(request), 3, 0, 0, 0) + request)
for _ in range(10000):
    message = events.recv(512)
    what, = struct.unpack_from('=I', message, 36)
    ack, = struct.unpack_from('=I', message, 28)
    error, = struct.unpack_from('=I', message, 52)
    if what == 0 and ack == 4712:
        raise SystemExit(error)
raise SystemExit(1)
`

function hearsProcessEvents(): boolean {
  return succeeds(python, ['-c', listenForEvents])
}

function makesUserNamespaces(): boolean {
  const unshare = ['unshare', '--user', '--map-root-user', '--pid', '--fork', 'true']
  const [file = '', ...args] = process.getuid?.() === 0 ? [...asUser(65_534), ...unshare] : unshare
  return succeeds(file, args)
}

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

/** A test that runs where its requirements are met; elsewhere it is skipped, with the reason in its title. */
export function itNeeds(
  requirements: readonly Requirement[],
  title: string,
  body: () => Promise<void>,
  timeout?: number,
): void {
  const lacks = missing(requirements)
  if (lacks.length === 0) it(title, body, timeout)
  else it.skip(`${title} (skipped: ${lacks.join(', ')})`, body)
}

/** Why each requirement that isn't met isn't. */
export function missing(requirements: readonly Requirement[]): string[] {
  return requirements.map((name) => reasons[name]()).filter((reason) => reason !== undefined)
}

/**
 * Changes limits of a running process by prlimit(1). Of another user's, this takes CAP_SYS_RESOURCE, which root in a
 * container may lack; so it is done as that user.
 */
export function limitProcess(pid: number, limits: readonly string[], user?: number): void {
  const command = [...(user === undefined ? [] : asUser(user)), 'prlimit', '--pid', String(pid), ...limits]
  execFileSync(command[0]!, command.slice(1), { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** What to put before a command to run it as another user without any rights; needs root. */
export function asUser(id: number): string[] {
  return ['setpriv', '--reuid', String(id), '--regid', String(id), '--clear-groups']
}
