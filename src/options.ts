// Turns arguments and options into a plan: every value checked, every default filled in. A bad one throws before
// anything is started, and names itself.

import { StdioCode } from '../bindings/native.js'
import { environmentBlock } from './environment.js'
import { InvalidOptionError } from './errors.js'
import { atLeast, grades, leastGrade } from './least-grade.js'
import { checkLimits, hasLimits } from './limits.js'
import { checkLog, logPlan } from './log.js'
import { nodeOf, type OwnerNode } from './owners/node.js'
import { absolutePath } from './paths.js'
import { type RightsPlan, rightsPlan } from './rights/plan.js'
import { checkSecretString, secretError } from './secret.js'
import { signalNumber } from './signals.js'
import type { Grade, Leftovers, Limits, RunOptions, SpawnOptions, StdioValue } from './types.js'
import {
  checkAbortSignal,
  checkCount,
  checkNonEmptyString,
  checkObject,
  checkOneOf,
  checkString,
  checkTime,
} from './validate.js'

/** Milliseconds that a stop may take when nobody says otherwise. */
export const DEFAULT_BUDGET = 500

/** Bytes that `run` keeps of each output when nobody says otherwise. */
export const DEFAULT_MAX_OUTPUT = 8 * 1024 * 1024

/** The longest string that every runtime can make: V8's limit is 2^29-24 characters. */
export const LARGEST_MAX_OUTPUT = 2 ** 29 - 1024

const MAX_DESCRIPTOR = 2 ** 31 - 1

/** Where one standard descriptor goes: a {@link StdioCode} or a descriptor, and the path for the codes that have one. */
export interface StdioPlan {
  readonly code: number
  readonly path: string
}

export interface SpawnPlan {
  readonly file: string
  readonly args: readonly string[]
  readonly argv0: string
  /** Empty: the host's. */
  readonly cwd: string
  /** `null`: the host's. */
  readonly env: readonly string[] | null
  readonly stdio: readonly [StdioPlan, StdioPlan, StdioPlan]
  readonly signal: AbortSignal | undefined
  /** -1: none. */
  readonly timeout: number
  readonly budget: number
  readonly stopSignal: number
  readonly leftovers: Leftovers
  readonly kind: string | undefined
  readonly label: string | undefined
  /** `null`: the tree belongs to nobody but its subprocess. */
  readonly owner: OwnerNode | null
  /** Absolute; gets both outputs. */
  readonly log: string | undefined
  /** At least this grade, and not started below it; `cgroup` also where there are limits. `undefined`: any. */
  readonly grade: Grade | undefined
  readonly limits: Limits
  readonly rights: RightsPlan
  /** `null`: outputs are streams. Otherwise native code keeps this much of each. */
  readonly collect: { readonly maxOutput: number; readonly spillPath: string } | null
}

/** What options are read against; an owner has its own. */
export interface Defaults {
  readonly budget: number
  readonly owner: OwnerNode | null
}

/** Of `spawn` and `run` themselves. */
export const DEFAULTS: Defaults = { budget: DEFAULT_BUDGET, owner: null }

const foreignOptions: ReadonlyMap<string, string> = new Map([
  ['shell', "start the shell yourself: spawn('bash', ['-c', script])"],
  ['stdio', 'use stdin, stdout and stderr'],
  ['killSignal', 'use stopSignal'],
  ['maxBuffer', 'use maxOutput, an option of run()'],
  ['detached', 'leave it out: a command always leads a session of its own'],
])

/** Options of child_process that would change what is started, if they were passed over in silence. */
function refuseForeignOptions(options: object): void {
  for (const [name, fix] of foreignOptions) {
    const value: unknown = Reflect.get(options, name)
    if (value === undefined) continue
    throw new InvalidOptionError({
      code: 'ERR_INVALID_ARG_VALUE',
      option: name,
      must: 'not be given: procleash has no such option',
      value,
      fix: fix[0]?.toUpperCase() + fix.slice(1),
    })
  }
}

export function spawnPlan(
  defaults: Defaults,
  file: string,
  args: readonly string[] = [],
  options: SpawnOptions = {},
): SpawnPlan {
  checkNonEmptyString(file, 'file')
  checkArguments(args)
  checkObject(options, 'options')
  refuseForeignOptions(options)
  const {
    argv0 = file,
    cwd,
    signal,
    timeout,
    budget = defaults.budget,
    kind,
    label,
    log,
    leftovers = 'stop',
    limits = {},
  } = options
  checkString(argv0, 'argv0')
  if (cwd !== undefined) checkNonEmptyString(cwd, 'cwd')
  if (signal !== undefined) checkAbortSignal(signal, 'signal')
  if (timeout !== undefined) checkTimeout(timeout)
  checkBudget(budget)
  if (kind !== undefined) checkNonEmptyString(kind, 'kind')
  if (label !== undefined) checkString(label, 'label')
  if (log !== undefined) checkLog(log, options)
  checkOneOf(leftovers, 'leftovers', ['stop', 'keep'])
  checkLimits(limits)
  if (options.require !== undefined) checkOneOf(options.require, 'require', grades)
  return {
    file,
    args: [...args],
    argv0,
    cwd: cwd ?? '',
    env: environmentBlock(options.env),
    stdio: [
      stdioPlan(options.stdin, 'stdin', 'ignore'),
      log === undefined ? stdioPlan(options.stdout, 'stdout', 'pipe') : logPlan(log),
      log === undefined ? stdioPlan(options.stderr, 'stderr', 'pipe') : logPlan(log),
    ],
    signal,
    timeout: timeout ?? -1,
    budget,
    stopSignal: signalNumber(options.stopSignal ?? 'SIGTERM', 'stopSignal'),
    leftovers,
    kind,
    label,
    owner: ownerPlan(options.owner, defaults.owner),
    log: log === undefined ? undefined : absolutePath(log),
    grade: hasLimits(limits) ? 'cgroup' : atLeast(options.require, leastGrade()),
    limits,
    rights: rightsPlan(options),
    collect: null,
  }
}

/** The plan of `run`: outputs are collected, and `input` makes standard input a pipe. */
export function runPlan(
  defaults: Defaults,
  file: string,
  args: readonly string[] = [],
  options: RunOptions = {},
): SpawnPlan {
  checkObject(options, 'options')
  const { input, maxOutput = DEFAULT_MAX_OUTPUT, spillPath, encoding } = options
  if (input !== undefined) checkInput(input)
  checkCount(
    maxOutput,
    'maxOutput',
    LARGEST_MAX_OUTPUT,
    'Give a number of bytes; spillPath keeps more, in a file',
  )
  if (spillPath !== undefined) checkNonEmptyString(spillPath, 'spillPath')
  if (encoding !== undefined) checkOneOf(encoding, 'encoding', ['utf8', 'buffer'])
  checkInputGoesToPipe(options.stdin, input)
  const stdin = input === undefined ? options.stdin : 'pipe'
  const plan = spawnPlan(defaults, file, args, { ...options, stdin })
  return { ...plan, collect: { maxOutput, spillPath: spillPath ?? '' } }
}

/** An owner's own spawn gives it what is started there; an option that says otherwise is a mistake, not a wish. */
function ownerPlan(option: SpawnOptions['owner'], own: OwnerNode | null): OwnerNode | null {
  if (option === undefined) return own
  const node = nodeOf(option, 'owner')
  if (own === null || own === node) return node
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_VALUE',
    option: 'owner',
    must: `be left out, or be ${own.path.join(' > ')}, whose spawn() or run() this is`,
    value: node.path.join(' > '),
    fix: 'Call spawn() or run() of the owner that it is for',
  })
}

/** Also used for the budget of a single stop. */
export function checkBudget(budget: unknown): asserts budget is number {
  checkTime(budget, 'budget', 'at least 0', 'Give milliseconds; 0 sends SIGKILL at once, the default is 500')
}

/** Of a stop or a release: the caller's words for logs and events. */
export function checkReason(reason: unknown): asserts reason is string | undefined {
  if (reason === undefined || typeof reason === 'string') return
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_TYPE',
    option: 'reason',
    must: 'be a string',
    value: reason,
    fix: 'Say in a few words why, or leave it out',
  })
}

// 0 means "none" to child_process and "now" to AbortSignal.timeout: neither is a safe guess for a time left.
function checkTimeout(timeout: unknown): void {
  checkTime(timeout, 'timeout', 'above 0', 'Leave it out for no timeout; start nothing when no time is left')
}

/** Empty arguments are fine, `git commit -m ''` has one; NUL bytes are not. */
function checkArguments(args: unknown): void {
  if (!Array.isArray(args)) {
    const fix = "Pass the arguments one by one: spawn('ls', ['-l', path])"
    throw secretError('ERR_INVALID_ARG_TYPE', 'args', 'be an array of strings', args, fix)
  }
  for (const [index, argument] of args.entries()) checkSecretString(argument, `args[${index}]`)
}

function checkInput(input: unknown): void {
  if (typeof input === 'string' || input instanceof Uint8Array) return
  const fix = 'Pass one of these, or use spawn() and its stdin'
  throw secretError('ERR_INVALID_ARG_TYPE', 'input', 'be a string or a Uint8Array', input, fix)
}

/** Nobody can write to the pipe of a `run`, so one without input would make `cat` wait for ever. */
function checkInputGoesToPipe(stdin: StdioValue | undefined, input: RunOptions['input']): void {
  if (stdin === undefined || (stdin === 'pipe') === (input !== undefined)) return
  throw new InvalidOptionError({
    code: 'ERR_INVALID_ARG_VALUE',
    option: 'stdin',
    must: input === undefined ? 'not be a pipe without input' : "be 'pipe' when there is input",
    value: stdin,
    fix: 'Give input and leave stdin out, or use spawn() for a pipe of your own',
  })
}

function stdioPlan(
  value: StdioValue | undefined,
  option: 'stdin' | 'stdout' | 'stderr',
  fallback: StdioValue,
): StdioPlan {
  const choice = value ?? fallback
  if (choice === 'ignore') return { code: StdioCode.ignore, path: '' }
  if (choice === 'pipe') return { code: StdioCode.pipe, path: '' }
  if (choice === 'inherit') return { code: ['stdin', 'stdout', 'stderr'].indexOf(option), path: '' }
  if (typeof choice === 'number') {
    checkCount(choice, option, MAX_DESCRIPTOR, 'Give the number of an open descriptor')
    return { code: choice, path: '' }
  }
  if (typeof choice !== 'object' || choice === null) {
    throw new InvalidOptionError({
      code: typeof choice === 'string' ? 'ERR_INVALID_ARG_VALUE' : 'ERR_INVALID_ARG_TYPE',
      option,
      must: "be 'pipe', 'ignore', 'inherit', a descriptor or { path }",
      value: choice,
      fix: 'Give one of these, or leave it out',
    })
  }
  checkNonEmptyString(choice.path, `${option}.path`)
  const append = choice.append ?? false
  if (typeof append !== 'boolean' || (append && option === 'stdin')) {
    throw new InvalidOptionError({
      code: typeof append === 'boolean' ? 'ERR_INVALID_ARG_VALUE' : 'ERR_INVALID_ARG_TYPE',
      option: `${option}.append`,
      must: option === 'stdin' ? 'not be given: standard input is read' : 'be true or false',
      value: append,
      fix: 'Leave it out',
    })
  }
  return { code: append ? StdioCode.append : StdioCode.path, path: choice.path }
}
