// Each capability that may be missing: what follows from it, and the fix.

import type { Capabilities } from '../types.js'

export interface Finding {
  readonly name: string
  readonly present: boolean
  /** What its absence means. */
  readonly effect: string
  readonly fix: string
}

const SECCOMP = 'or allow it in the seccomp profile of the container'

export function findingsOf(found: Capabilities): readonly Finding[] {
  return [
    {
      name: 'subreaper',
      present: found.subreaper,
      effect: "orphans of a tree don't come up to its keeper: only its process group is held",
      fix: 'Allow prctl(PR_SET_CHILD_SUBREAPER) in the seccomp profile',
    },
    {
      name: '/proc of this PID namespace',
      present: found.procfs === 'own',
      effect: "processes that leave the command's group can't be found",
      fix:
        found.procfs === 'missing'
          ? 'Mount it: mount -t proc proc /proc'
          : 'Mount one of this namespace: unshare --pid --fork --mount-proc',
    },
    {
      name: 'pidfd',
      present: found.pidfd,
      effect: 'a signal goes by number, right after a check of the start time',
      fix: `Use Linux 5.3 or later, ${SECCOMP} (pidfd_open, pidfd_send_signal)`,
    },
    {
      name: 'group signal by pidfd',
      present: found.pidfdGroupSignal,
      effect: "after the command's end, members of its group are signalled one by one",
      fix: 'Use Linux 6.9 or later',
    },
    {
      name: 'children lists in /proc',
      present: found.children,
      effect: 'the whole of /proc is read for each stop',
      fix: 'Use a kernel with CONFIG_PROC_CHILDREN',
    },
    {
      name: 'close_range',
      present: found.closeRange,
      effect: 'descriptors are closed one by one when the helper starts',
      fix: `Use Linux 5.11 or later, ${SECCOMP}`,
    },
    {
      name: 'clone3',
      present: found.clone3,
      effect: 'with a cgroup of its own, a command enters it just before its first instruction, not by birth',
      fix: `Use Linux 5.7 or later, ${SECCOMP}`,
    },
    {
      name: 'pseudo-terminals',
      present: found.pty,
      effect: 'no program can be given a terminal of its own',
      fix: 'Mount /dev/pts: mount -t devpts devpts /dev/pts, with /dev/ptmx',
    },
    {
      name: 'cgroup for each tree',
      present: found.cgroup.usable,
      effect: `grade 'cgroup' can't be required, and nothing can be limited: ${found.cgroup.reason ?? ''}`,
      fix: found.cgroup.fix ?? '',
    },
    ...found.permissions.map(({ flag, effect }) => ({
      name: `Deno ${flag}`,
      present: false,
      effect,
      fix: `Start Deno with ${flag} if you need that`,
    })),
  ]
}
