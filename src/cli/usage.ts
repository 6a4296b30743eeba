// Help texts and exit statuses of the command line. The statuses are those of timeout(1).

export const ExitStatus = {
  /** Of `stop`: something is left. */
  survivors: 1,
  timedOut: 124,
  procleashFailed: 125,
  notExecutable: 126,
  notFound: 127,
  /** Plus the signal's number. */
  signalled: 128,
} as const

/** The command line is wrong. */
export class UsageError extends Error {
  override name = 'UsageError'
  /** The arguments that show the fitting help. */
  readonly help: string

  constructor(message: string, help = '--help') {
    super(message)
    this.help = help
  }
}

export const mainHelp = `Usage: procleash COMMAND [OPTIONS]

Starts commands that can be stopped with everything they have started.

Commands:
  run         run a command and leave nothing of it behind
  init        run a command as a container's init would: 'init --path' prints the
              native file, which a container should start itself
  stop        stop a running process with everything that belongs to it
  tree        show a running process with everything that belongs to it
  doctor      say what this machine gives, and test one stop
  bench       measure how long stops take on this machine
  help [NAME] show the help of a command

Options:
  -h, --help     show this help
  -V, --version  show the version
`

export const runHelp = `Usage: procleash run [OPTIONS] [--] COMMAND [ARGUMENTS]

Runs COMMAND with this terminal's input and output. When it ends, what it left
running is stopped; so it is when this process ends in any way, SIGKILL included.

Options:
  -k, --budget DURATION   time from a stop until nothing is left, SIGKILL
                          included; 0 kills at once (default: 500ms)
  -t, --timeout DURATION  stop the whole tree after this time; 0 is no limit
                          (default: no limit)
  -s, --signal SIGNAL     first signal of a stop, by name or number
                          (default: TERM)
      --leftovers WHAT    stop: stop what the command leaves behind (default);
                          keep: wait until that has ended by itself
      --json FILE         write { command, exit, settlement } to FILE, whole or
                          not at all, with mode 0600; - is standard error
      --uid N, --gid N    run COMMAND as this user and group, as id(1) numbers
                          them, and in no further group
      --groups N,N,...    further groups; '' for none
      --cap-drop C,C,...  take these capabilities from COMMAND for good; all
      --cap-keep C,C,...  take all but these
      --no-new-privs      let no setuid program give more rights
  -h, --help              show this help

DURATION is a number with ms, s, m or h; without a unit it means seconds.
C is a name of capabilities(7), like NET_RAW.

Signals: the first SIGINT (Ctrl-C) is passed on to the command, a second one
stops the tree. SIGQUIT is passed on. SIGTERM and SIGHUP stop the tree.

Exit status: that of COMMAND, or
  124  it timed out
  125  procleash itself failed
  126  COMMAND can't be executed
  127  COMMAND was not found
  128+N  COMMAND was ended by signal N, or signal N stopped procleash run
`

export const stopHelp = `Usage: procleash stop [OPTIONS] PID

Stops process PID, its descendants, and all of the sessions and groups that one
of them leads: the first signal to each, SIGKILL to what is left shortly before
the budget ends. No process is started for it.

Options:
  -k, --budget DURATION  time until nothing is left, SIGKILL included; 0 kills
                         at once (default: 500ms)
  -s, --signal SIGNAL    first signal, by name or number (default: TERM)
      --json FILE        write { pid, settlement } to FILE, whole or not at all,
                         with mode 0600; - is standard error
  -h, --help             show this help

DURATION is a number with ms, s, m or h; without a unit it means seconds.

Exit status:
  0    nothing that was seen of it is left
  1    something is left; standard error names it
  125  procleash itself failed, or there is no process PID, or it must not be
       stopped: 1, this process, and those that it descends from
`

export const treeHelp = `Usage: procleash tree [OPTIONS] PID

Shows process PID, its descendants, and all of the sessions and groups that one
of them leads, with cpu time, memory and threads. A note tells how a process has
left the group of its parent: own group, own session, or daemon.

Options:
      --json   print it as JSON, with all ids and start times
      --watch  draw it again while it changes, until it is gone or Ctrl-C;
               with --json one line for each look
  -h, --help   show this help

Exit status:
  0    it was shown; with --watch: it is gone
  125  procleash itself failed, or there is no process PID
  130  --watch was ended by Ctrl-C
`

export const doctorHelp = `Usage: procleash doctor [OPTIONS]

Says what this machine gives to procleash, which grade of containment follows,
what is missing with its fix, and makes one real stop of a tree that is hard to
stop, for each grade that can be had.

Options:
      --json  print it as JSON, for a bug report
  -h, --help  show this help

Exit status:
  0    the promise holds here
  1    it does not
  125  the command line is wrong
`

export const benchHelp = `Usage: procleash bench [OPTIONS]

Measures on this machine how long a stop takes, from the call until nothing is
left: of trees that obey SIGTERM and of such that are deaf to it, half of each in
sessions of their own; and counts what a SIGKILL to the command alone leaves.

Options:
  -n, --rounds N  stops of each kind (default: 10)
      --size N    processes in a tree; may be given again (default: 1, 10, 100)
      --json      print it as JSON, every time included
  -h, --help      show this help

Exit status:
  0    each stop has left nothing, within its budget of 500 ms
  1    one has not
  125  procleash itself failed
`
