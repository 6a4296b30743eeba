// What does not hold with grade `group`, by reason: file and title of each test that is there to fail with it. A test
// that passes in spite of it makes the run fail, like one that fails and is not listed.

interface Reason {
  readonly why: string
  /** Titles by file below test/, without the runtime's name; `*` is every test of the file but the controls and those with a `!`; `deno: ` before one: there only. */
  readonly tests: Readonly<Record<string, readonly string[]>>
}

export const expected: readonly Reason[] = [
  {
    why: 'G1: who has left group and session, is an orphan and shows no mark is not found',
    tests: {
      'escape/session.test.ts': [
        'C11: ends a daemon that has no mark left: no environment, another name, another folder',
      ],
      'exhaustion/fork-bomb.test.ts': ['*'],
    },
  },
  {
    why: 'G3: timeouts and stops run on the event loop, and wait while it is blocked',
    tests: {
      // Its timeout while the loop is blocked; and its proof, which is a snapshot.
      'child-process/extras.test.ts': ['stop(), settled, and the options of a tree'],
      'exhaustion/unread.test.ts': ['a timeout holds although the host is busy, too'],
      'guarantees/g3-own-clock.test.ts': [
        'a time limit and its escalation hold',
        'the escalation of a stop holds whose asker is blocked right after it',
      ],
      'host-death/blocked.test.ts': [
        'C43: a time limit holds while the event loop is blocked (busy)',
        'C43: a time limit holds while the event loop is blocked (atomics)',
        'C43: a time limit holds while the event loop is blocked (execSync)',
      ],
      'spawn/large-heap.test.ts': [
        'C61: spawn() keeps the event loop for less than 5 ms with 1 GB of touched memory',
      ],
    },
  },
  {
    why: 'G4: nobody is left to stop the trees of a host that is killed, crashes, or ends a worker',
    tests: {
      'child-process/lifetime.test.ts': ['it keeps the host alive, and ends with one that is killed'],
      'child-process/mcp.test.ts': ['a host that is killed leaves nothing either'],
      'escape/service.test.ts': ["C57: a kept service doesn't outlive its host"],
      'guarantees/g4-host-death.test.ts': [
        'no tree is left by abort',
        'no tree is left by SIGKILL, nor by SIGKILL in the middle of a stop',
      ],
      'host-death/endings.test.ts': [
        'C42: a host that ends by abort',
        'C42: a host that ends by SIGTERM',
        'C42: a host that ends by SIGINT',
        'C42: a host that ends by SIGHUP',
        'C42: a host that ends by SIGKILL',
        'a host that runs out of memory',
      ],
      'host-death/killed.test.ts': ['*', '!C45: closed in order: end of input, then a stop'],
      'host-death/short-grace.test.ts': ['*'],
      'host-death/spawn-window.test.ts': ['*'],
      'host-death/workers.test.ts': ['*'],
      'owners/release.test.ts': ['happens by itself when the host dies'],
      'owners/survives.test.ts': ['the host ends (SIGKILL): stopped, whoever owned it'],
      'pipes/background-job.test.ts': ['C28: what is kept dies with the host'],
    },
  },
  {
    why: 'G9: Deno installs signal handlers of its own with the first child',
    tests: {
      'guarantees/g9-good-guest.test.ts': [
        'deno: leaves handlers, descriptors and children of its host as they were, and lets it end',
      ],
    },
  },
  {
    why: 'G5: there is no keeper, no supervisor and no helper that could be lost, missing, or looked at',
    tests: {
      'chaos/chaos.test.ts': ['100 rounds of random trees and faults'],
      'cli/doctor.test.ts': [
        'the promise holds here: a tree of seven kinds is stopped, and seen to be gone',
        'for people: a line for each finding, what is missing with its fix, and the verdict last',
        'status 1 where the helper is missing, with the fix',
        'status 1 below a /proc that is not its own: a stop proves nothing there',
      ],
      'errors/helper.test.ts': ['missing', 'not executable', 'ends at once', 'of another version'],
      'errors/limits-reached.test.ts': ['no process is left for a keeper: EAGAIN'],
      'events/events.test.ts': ['tells of a lost keeper'],
      'exhaustion/descriptors.test.ts': [
        'none for the supervisor, or for the keeper',
        'none for the host, and keeper and supervisor are killed',
        'none for the supervisor, and the keeper is killed',
      ],
      'exhaustion/memory.test.ts': ['*'],
      'exhaustion/processes.test.ts': ['none for the keeper, or for its command: EAGAIN'],
      'exhaustion/zombies.test.ts': ['*'],
      'guarantees/g5-supervisor-death.test.ts': ['*'],
      'hostile/keeper.test.ts': ['*'],
      'limits/allowance.test.ts': ['C37: nor does the keeper, with a deaf tree'],
      'security/sockets.test.ts': ['*'],
      'security/secrets.test.ts': ['the names of keeper and supervisor show none of them'],
      'result/short-commands.test.ts': [
        '2,000 commands: every status right; descriptors, threads and memory flat; no zombie',
      ],
      'spawn/ready-keeper.test.ts': ['*'],
      'stop/late-keeper.test.ts': ['*'],
      'stop/no-subreaper.test.ts': [
        'a tree whose orphans went to somebody else is not called empty, and the grade says so',
      ],
      'stop/silent-keeper.test.ts': ['*'],
      'supervisor-death/blind-spot.test.ts': ['*'],
      'supervisor-death/every-shape.test.ts': ['*'],
      'supervisor-death/goes-on.test.ts': ['*'],
      'supervisor-death/no-descriptor.test.ts': ['*'],
    },
  },
  {
    why: 'G6: the statuses of others than the command, and what a tree has used, are known to whom they are reaped by',
    tests: {
      'guarantees/g6-truthful.test.ts': ['says what the tree used'],
      'escape/session.test.ts': ['C10: ends a daemon that forked twice'],
      'stop/escalation.test.ts': ['C04: goes on to SIGKILL for a child although the leader obeyed'],
    },
  },
  {
    why: "G8: the command's parent is the host",
    tests: {
      'guarantees/g8-never-the-wrong-one.test.ts': [
        "a command's parent is the keeper, in no group and session of the host",
      ],
      'identity/host.test.ts': ['C48: `kill $PPID` finds the keeper, not the host, and the tree ends'],
    },
  },
  {
    why: 'a stop starts ps, with the rights that the host has by then',
    tests: {
      'limits/allowance.test.ts': ['C37: a stop needs no new process and no new descriptor'],
      'limits/permission.test.ts': [
        'C26: a host that drops its rights after the start still ends all: its keepers kept theirs',
        'so it is when host and keeper are killed',
        'so it is when host and keeper are killed, and the kernel has no lists of children',
      ],
    },
  },
  {
    why: 'the command is started by the runtime, which passes on what the host has and gives scripts without #! to sh',
    tests: {
      'child-process/checks.test.ts': [
        'procleash/child-process does what Node does, but for the listed differences',
      ],
      'errors/bad-input.test.ts': ['is refused with a typed error of a stable code, and starts nothing'],
      'spawn/inherited-state.test.ts': [
        'C46: a command has descriptors 0, 1, 2 and no other, though its host was given more',
        'C46: nobody below the host keeps what the host holds: neither its lock nor its input',
      ],
    },
  },
  {
    why: 'grade cgroup, and limits, take a keeper',
    tests: {
      'cgroup/death.test.ts': ['*'],
      'cgroup/leaf.test.ts': ['*'],
      'cgroup/limits.test.ts': [
        'no limits at all need no cgroup',
        'without controllers a limit is refused, and nothing is started',
      ],
      'cgroup/refused.test.ts': ['*', '!PROCLEASH_GRADE=cgroup: every spawn has one, whatever it asks for'],
    },
  },
  {
    why: 'the options that drop rights, but for uid and gid, take native code',
    tests: {
      'security/rights-refused.test.ts': [
        '*',
        '!bad values are refused before anything is asked of the system',
      ],
      'security/rights.test.ts': [
        '*',
        '!without native code: uid and gid alone, the rest is refused by its grade',
      ],
      'security/dropped-tree.test.ts': ['*'],
    },
  },
  {
    why: 'trees that somebody else started take native code',
    tests: {
      'adopt/end.test.ts': ['*'],
      'adopt/execa.test.ts': ["execa's subprocess is adopted, and its result stays its own"],
      'adopt/lease.test.ts': ['*'],
      'adopt/owners.test.ts': ['*'],
      'adopt/refused.test.ts': [
        'a child that has ended unseen: the runtime was busy',
        "another process's pid: the host's, its parent's, a grandchild's",
        'a child that was adopted before',
      ],
      'adopt/stop.test.ts': ['*'],
      'adopt/survivors.test.ts': ['*'],
      'cli/stop.test.ts': [
        'is 0 when nothing is left, and says nothing',
        '-k bounds it, -s begins it, --json writes { pid, settlement }',
        'stops what a script without job control started in the background',
        'is 1 when something is left, and names it',
        'is 125 with no such process, and says why',
        'is 125 with PID 1, and says why',
        'is 125 with one that it descends from, and says why',
      ],
      'cli/tree.test.ts': [
        'draws a real tree in ASCII where there is no terminal',
        '--json gives what inspectTree gives',
        '--watch draws what has changed and ends with the tree',
        '--watch --json gives one line for each look',
        'on a terminal: lines and colours; Ctrl-C ends --watch with 130 and leaves the tree alone',
        'a reader that goes away is no error',
      ],
      'foreign/escape.test.ts': ['*'],
      'foreign/identity.test.ts': ['*', '!says which option is wrong'],
      'foreign/inspect.test.ts': ['*'],
      'foreign/race.test.ts': ['*'],
      'foreign/stop.test.ts': ['*'],
      'foreign/survivors.test.ts': ['*'],
      'foreign/tree-kill.test.ts': ['*'],
      'foreign/watch.test.ts': [
        '*',
        "without a record > control: once the adapter is killed, its tools can't be named any more",
      ],
      'foreign/watch-host.test.ts': ['*'],
      'subreaper/owners.test.ts': ['*'],
      'subreaper/proofs.test.ts': ['*'],
      'subreaper/statuses.test.ts': ['*'],
    },
  },
]

/** Those that pass or fail with the machine's load: two lists by ps take what it leaves them. They are skipped. */
export const byChance: readonly Reason[] = [
  {
    why: 'bounds in milliseconds that hold on a free machine only',
    tests: {
      'adopt/execa.test.ts': [
        'beside each other > a background job that holds the output holds up execa, and not run()',
      ],
      'escape/race.test.ts': ['C14: ends a fork storm inside one group at once'],
      'guarantees/g2-budget.test.ts': ['*'],
      'limits/permission.test.ts': ['C26: what a host without rights may not signal is a named survivor'],
      'limits/unkillable.test.ts': ['C25: names a process in state D, within the budget and a bound'],
      'owners/many.test.ts': ['releases one owner of twenty'],
      'owners/release.test.ts': [
        'stops every tree of every owner below it, and says whose each was',
        'has 3 s by default, which an owner hands down',
      ],
      'pipes/many-readers.test.ts': ['2000 commands, 200 at once, each read to its end'],
      'pipes/flood.test.ts': [
        'C31: a time limit holds in a flood, memory stays flat, dropped bytes are counted',
      ],
      'pipes/stdin.test.ts': ['input that nobody reads is no error and holds nothing up'],
      'stop/when.test.ts': [
        'shortens a running stop by a shorter budget',
        'stops at its timeout, with that as its reason',
      ],
      'stop/grace.test.ts': [
        'C08: lets a slow tree finish, with exactly one SIGTERM for each process',
        'C22: wakes a stopped process, so that its cleanup handler runs',
      ],
      'stop/members.test.ts': ['1000 zombies take nothing from the time to clean up'],
      'stop/readiness.test.ts': [
        'C58: the port can be bound at the first try, though a deaf helper had inherited the socket',
      ],
    },
  },
  {
    why: 'who forks and exits faster than lists come is hit by luck',
    tests: {
      'escape/race.test.ts': ['C13: ends a lineage that is a new process in a new session every 5 ms'],
      'guarantees/g1-whole-tree.test.ts': ['no process of any kind is left'],
      'guarantees/g4-host-death.test.ts': ['no tree is left by exit', 'no tree is left by throw'],
    },
  },
  {
    why: 'the first signal may come before the host is killed, or not',
    tests: { 'host-death/short-grace.test.ts': ['what is graceful has its time after the host is gone'] },
  },
  {
    why: 'a script that signals $PPID may be stopped before it does',
    tests: { 'guarantees/g8-never-the-wrong-one.test.ts': ['stops of every kind hit nobody else'] },
  },
]

/** Why the test is there to fail, if it is. */
export function reasonOf(
  reasons: readonly Reason[],
  file: string,
  title: string,
  runtime = '',
): string | undefined {
  return reasons.find(({ tests }) => {
    const titles = tests[file] ?? []
    if (titles.includes(title) || titles.includes(`${runtime}: ${title}`)) return true
    return titles.includes('*') && !titles.includes(`!${title}`) && !/(^| > )control:/.test(title)
  })?.why
}
