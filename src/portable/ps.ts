// The list of processes as ps(1) gives it: POSIX columns where there are such, and those that Linux and the BSDs, macOS
// among them, add alike. A second list shows the environments, where the mark of a tree is found in what has left it in
// every other way. Who asks while a list is being made waits for the next one, together with all who ask then.

import { execFile, execFileSync } from 'node:child_process'
import type { ProcessState } from '../types.js'
import type { Row } from './system.js'

/** Milliseconds after which a list that does not come counts as not to be had. */
const PATIENCE = 10_000

/** Where processes come and go all the time, the last of these has to do. */
const MOST_TRIES = 3

/** A line has at most some kilobytes; a machine has at most some ten thousand processes. */
const LARGEST = 64 * 1024 * 1024

// macOS has no column for the session, and `sess` is an address there.
const hasSessions = process.platform !== 'darwin'

const COLUMNS = [
  'pid',
  'ppid',
  'pgid',
  ...(hasSessions ? ['sid'] : []),
  'stat',
  'rss',
  'time',
  'lstart',
  'args',
]

/** Linux has the option of old BSD, macOS and the new ones one of their own. Where it is refused, no mark is seen. */
const optionsOfSystems: Readonly<Record<string, string>> = { linux: 'e', darwin: '-E' }
const ENVIRONMENT = optionsOfSystems[process.platform] ?? '-e'

// -ww: whole lines, whatever the terminal's width.
const LIST = ['-A', '-ww', '-o', COLUMNS.map((name) => `${name}=`).join(',')]
const ENVIRONMENTS = ['-A', '-ww', ENVIRONMENT, '-o', 'pid=,args=']

const MARK = ' PROCLEASH_TREE='

let running: Promise<readonly Row[] | null> | undefined
let next: Promise<readonly Row[] | null> | undefined

/** A list that was begun after the call; `null` where ps can't be run or says nothing that makes sense. */
export function listProcesses(): Promise<readonly Row[] | null> {
  if (running === undefined) return begin()
  next ??= running.then(begin)
  return next
}

function begin(): Promise<readonly Row[] | null> {
  next = undefined
  const own = ask().finally(() => {
    if (running === own) running = undefined
  })
  running = own
  return own
}

/** The same for where nothing can be waited for. */
export function listProcessesNow(): readonly Row[] | null {
  const list = psNow(LIST)
  return list === null ? null : parseProcesses(list, hasSessions, psNow(ENVIRONMENTS) ?? '')
}

async function ask(): Promise<readonly Row[] | null> {
  for (let tries = 1; ; tries += 1) {
    const list = await ps(LIST)
    if (list === null) return null
    // After the list: who was started since then shows up here, and makes it be asked again.
    const environments = (await ps(ENVIRONMENTS)) ?? ''
    const rows = parseProcesses(list, hasSessions, environments)
    if (rows === null || tries === MOST_TRIES || !isTorn(rows, environments)) return rows
  }
}

function ps(args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    try {
      const child = execFile('ps', args, options(), (error, stdout) =>
        resolve(error === null ? stdout : null),
      )
      child.stdin?.end()
    } catch {
      // Deno without --allow-run=ps.
      resolve(null)
    }
  })
}

function psNow(args: readonly string[]): string | null {
  try {
    return execFileSync('ps', args, { ...options(), stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return null
  }
}

function options() {
  // Nothing else in its environment: dates in English, and nobody's PS_FORMAT.
  const env = { PATH: searchPath(), LC_ALL: 'C' }
  return { env, encoding: 'utf8', timeout: PATIENCE, killSignal: 'SIGKILL', maxBuffer: LARGEST } as const
}

/** Deno may not read PATH. */
function searchPath(): string {
  const standard = '/usr/bin:/bin:/usr/sbin:/sbin'
  try {
    return `${process.env.PATH ?? ''}:${standard}`
  } catch {
    return standard
  }
}

/** Pure. `null` when no line makes sense. `environments`: pid, arguments and environment in each line. */
export function parseProcesses(text: string, sessions: boolean, environments: string): readonly Row[] | null {
  const marked = markedLines(environments)
  const rows = text
    .split('\n')
    .map((line) => parseLine(line, sessions, marked))
    .filter((row) => row !== undefined)
  return rows.length === 0 ? null : rows
}

/** Pure. Whether one with a mark has come, or executed another program, between the two lists: its mark is lost then. */
export function isTorn(rows: readonly Row[], environments: string): boolean {
  const argvs = new Map(rows.map(({ pid, argv }) => [pid, argv]))
  return [...markedLines(environments)].some(([pid, both]) => {
    const argv = argvs.get(pid)
    return argv === undefined || !both.startsWith(argv.join(' '))
  })
}

/** Arguments and environment by pid, of those with a mark in either. */
function markedLines(environments: string): ReadonlyMap<number, string> {
  const marked = new Map<number, string>()
  for (const line of environments.split('\n')) {
    if (!line.includes(MARK)) continue
    const [all, pid] = /^\s*(\d+) /.exec(line) ?? []
    if (all !== undefined) marked.set(Number(pid), line.slice(all.length))
  }
  return marked
}

/** The mark must stand behind the arguments: one among them says nothing of whose the process is. */
function markOf(args: string, both: string | undefined): string {
  if (both === undefined || !both.startsWith(args)) return ''
  const rest = both.slice(args.length)
  const at = rest.indexOf(MARK)
  return at < 0 ? '' : (rest.slice(at + MARK.length).split(' ', 1)[0] ?? '')
}

const NUMBERS = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+/
const REST = /^(\S+)\s+(\d+)\s+([\d:.-]+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})(?:\s(.*))?$/

function parseLine(line: string, sessions: boolean, marked: ReadonlyMap<number, string>): Row | undefined {
  const ids = NUMBERS.exec(line)
  if (ids === null) return undefined
  let rest = line.slice(ids[0].length)
  let sid = 0
  if (sessions) {
    const session = /^(-|\d+)\s+/.exec(rest)
    if (session === null) return undefined
    sid = Number(session[1]) || 0
    rest = rest.slice(session[0].length)
  }
  const fields = REST.exec(rest)
  if (fields === null) return undefined
  const pid = Number(ids[1])
  const [, stat = '?', rss, time = '', started = '', args = ''] = fields
  return {
    pid,
    ppid: Number(ids[2]),
    pgid: Number(ids[3]),
    sid,
    startTime: Date.parse(started.replaceAll(/\s+/g, ' ')) / 1000,
    cpuTime: parseTime(time),
    memory: Number(rss) * 1024,
    threads: 0,
    state: toState(stat),
    argv: toArgv(stat, args),
    mark: markOf(args.trimEnd(), marked.get(pid)),
  }
}

/** `[days-]hours:minutes:seconds` in Linux, `minutes:seconds.hundredths` in macOS and the BSDs. Gives milliseconds. */
function parseTime(time: string): number {
  const [clock = '', days = '0'] = time.split('-').reverse()
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return Math.round((Number(days) * 86_400 + seconds) * 1000)
}

const STATES: Readonly<Record<string, ProcessState>> = {
  R: 'R',
  S: 'S',
  D: 'D',
  U: 'D', // uninterruptible, in macOS
  T: 'T',
  t: 't',
  Z: 'Z',
  X: 'X',
  I: 'I',
}

function toState(stat: string): ProcessState {
  return STATES[stat[0] ?? ''] ?? '?'
}

/** ps joins arguments by blanks, so those with blanks of their own come apart. */
function toArgv(stat: string, args: string): readonly string[] {
  return stat.startsWith('Z') || args === '' ? [] : args.trimEnd().split(' ')
}
