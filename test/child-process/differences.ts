// What procleash/child-process does otherwise than Node's own child_process, each found by a check of
// test/hosts/child-process/. The one list: the tests expect it, and docs/child-process.md shows it as its table.

export interface Difference {
  /** Name of the check. */
  readonly check: string
  /** What Node gives, and what is given here, as the check sees it. */
  readonly node: unknown
  readonly here: unknown
  /** The same for people: cells of the table. */
  readonly topic: string
  readonly inNode: string
  readonly inProcleash: string
}

export const differences: readonly Difference[] = [
  {
    check: 'pid is known right after the call',
    node: 'number',
    topic: '`pid`',
    here: 'undefined',
    inNode: 'set when `spawn()` returns',
    inProcleash:
      '`undefined` until right before the `spawn` event: the call never waits for the new process. Read it in the event',
  },
  {
    check: 'a command deaf to SIGTERM outlives kill()',
    node: true,
    here: false,
    topic: "`kill()`, `kill('SIGTERM')`",
    inNode: 'one signal to the command; deaf ones live on',
    inProcleash: 'stops the whole tree: SIGTERM, and SIGKILL to what is left within the `budget` (500 ms)',
  },
  {
    check: 'a grandchild outlives kill()',
    node: 'left',
    here: 'gone',
    topic: "`kill('SIGKILL')`",
    inNode: 'ends the command alone',
    inProcleash: 'ends the whole tree at once',
  },
  {
    check: 'a background process outlives the command',
    node: 'left',
    here: 'gone',
    topic: 'what a command leaves behind',
    inNode: 'lives on',
    inProcleash: "is stopped; `leftovers: 'keep'` lets it live, at most as long as the host",
  },
  {
    check: 'a descendant that holds stdout holds close up',
    node: true,
    here: false,
    topic: '`close`',
    inNode: 'when nobody holds the outputs any more',
    inProcleash: 'when the tree has settled and the outputs were read; it never waits for a descendant',
  },
  {
    check: 'not detached: the group of the host',
    node: false,
    here: true,
    topic: '`detached`',
    inNode: 'gives the command a session of its own; it may outlive the host',
    inProcleash: 'changes nothing: a command always leads a session of its own, and never outlives the host',
  },
  {
    check: '$PPID is the host',
    node: true,
    here: false,
    topic: '`$PPID` of the command',
    inNode: 'the host',
    inProcleash: 'the keeper',
  },
  {
    check: 'nothing is added to the environment',
    node: false,
    here: true,
    topic: '`env`',
    inNode: 'as given',
    inProcleash: 'as given, and `PROCLEASH_TREE`',
  },
  {
    check: 'a signal that is aborted already',
    node: [['spawn', 'error', 'exit', 'close'], 'AbortError'],
    here: [['error', 'close'], 'AbortError'],
    topic: '`signal`, aborted before the call',
    inNode: 'starts the command and kills it',
    inProcleash: 'starts nothing: `error` (`AbortError`), then `close` with the code -125 (`ECANCELED`)',
  },
  {
    check: 'too many arguments are thrown',
    node: 'E2BIG',
    here: 'nothing',
    topic: 'failed starts',
    inNode: '`error` event for five errnos, the others (`E2BIG`, ...) are thrown',
    inProcleash: '`error` event for all, of the same shape; its `cause` says more',
  },
  {
    check: 'a script without a #! line is run by sh',
    node: 'from the script',
    here: 'ENOEXEC',
    topic: 'a script without a `#!` line',
    inNode: 'is run by `sh`',
    inProcleash: '`error` event with `ENOEXEC`, as in Bun',
  },
  {
    check: 'the pipes are sockets',
    node: 'socket',
    here: 'pipe',
    topic: '`stdin`, `stdout`, `stderr`',
    inNode: '`net.Socket` on a UNIX socket',
    inProcleash:
      '`Readable` and `Writable` on a pipe: no `ref()`, `unref()`, `fd`; `/dev/stdin` can be opened',
  },
  {
    check: 'a fourth descriptor can be piped',
    node: 'nothing',
    here: 'ERR_INVALID_ARG_VALUE',
    topic: '`stdio[3]` and up',
    inNode: 'as given',
    inProcleash: "`'ignore'` leaves them closed; anything else is refused with `ERR_INVALID_ARG_VALUE`",
  },
  {
    check: 'a channel can be had',
    node: 'nothing',
    here: 'ERR_INVALID_ARG_VALUE',
    topic: "`stdio: 'ipc'`, `send()`",
    inNode: 'a channel between two Nodes',
    inProcleash: 'refused with `ERR_INVALID_ARG_VALUE`; `connected` is always false',
  },
]

/** The table as it stands in the docs. */
export function differencesTable(): string {
  const rows = differences.map(({ topic, inNode, inProcleash }) => [topic, inNode, inProcleash])
  const all = [['what', 'node:child_process', 'procleash/child-process'], ...rows]
  const lines = all.map((cells) => `| ${cells.join(' | ')} |`)
  return [lines[0], '| --- | --- | --- |', ...lines.slice(1)].join('\n')
}
