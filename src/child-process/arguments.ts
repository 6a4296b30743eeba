// Turns the arguments of node:child_process' spawn into a plan. It reads them as Node does (lib/child_process.js,
// normalizeSpawnArguments), oddities included: libraries rely on them. What Node would do and this module can't is
// refused by name.

import { fileURLToPath } from 'node:url'
import { InvalidOptionError } from '../errors.js'
import { DEFAULTS, type SpawnPlan, spawnPlan } from '../options.js'
import { secretError } from '../secret.js'
import { signalNumber } from '../signals.js'
import type { SignalName, SpawnOptions as TreeSpawnOptions } from '../types.js'
import { checkAbortSignal, checkNonEmptyString, checkObject, checkString } from '../validate.js'
import { standardStreams } from './stdio.js'
import type { SpawnOptions } from './types.js'

/** A call of spawn, checked and with every default filled in. */
export interface Call {
  readonly plan: SpawnPlan
  readonly spawnfile: string
  readonly spawnargs: string[]
  /** First signal of a stop. */
  readonly killSignal: number
  /** Not in the plan: a child tells of an abort by an `error` event. */
  readonly signal: AbortSignal | undefined
}

export const SIGTERM = 15
export const SIGKILL = 9

export function readCall(command: unknown, ...rest: readonly unknown[]): Call {
  checkNonEmptyString(command, 'file')
  const [args, options] = splitArguments(rest)
  const file = shellOf(options.shell) ?? command
  const words = file === command && !options.shell ? args : ['-c', [command, ...args].join(' ')]
  const argv0 = nullish(options.argv0) ?? file
  const killSignal = signalOf(nullish(options.killSignal) ?? 'SIGTERM', 'killSignal')
  const signal = nullish(options.signal)
  if (signal !== undefined) checkAbortSignal(signal, 'signal')
  const { budget, leftovers, owner, kind, label, groups, capabilities, noNewPrivileges } = options
  const wanted: TreeSpawnOptions = {
    ...standardStreams(options.stdio),
    argv0,
    cwd: folder(options.cwd),
    env: environment(options.env),
    timeout: timeLimit(options.timeout),
    stopSignal: killSignal,
    budget,
    leftovers,
    owner,
    kind,
    label,
    uid: nullish(options.uid),
    gid: nullish(options.gid),
    groups,
    capabilities,
    noNewPrivileges,
  }
  return {
    plan: spawnPlan(DEFAULTS, file, words, wanted),
    spawnfile: file,
    spawnargs: [argv0, ...words],
    killSignal,
    signal,
  }
}

/** Signal names in any case, as Node takes them. */
export function signalOf(value: unknown, option: string): number {
  const name = typeof value === 'string' ? value.toUpperCase() : value
  return signalNumber(name as SignalName, option)
}

/** `spawn(file, options)` and `spawn(file, null, options)` are fine; each argument is made a string. */
function splitArguments([first, second]: readonly unknown[]): [string[], SpawnOptions] {
  const isList = Array.isArray(first)
  const options = first === undefined || first === null || isList ? second : first
  if (typeof first === 'string' || typeof first === 'number') {
    const fix = "Pass the arguments one by one: spawn('ls', ['-l', path])"
    throw secretError('ERR_INVALID_ARG_TYPE', 'args', 'be an array of strings', first, fix)
  }
  checkObject(options, 'options')
  return [isList ? first.map(String) : [], (options ?? {}) as SpawnOptions]
}

/** sh(1) gets the command and its arguments as one line, unquoted: what Node's option does, and warns of. */
function shellOf(shell: unknown): string | undefined {
  if (shell === undefined || shell === null || shell === false || shell === '') return undefined
  if (shell === true) return '/bin/sh'
  checkString(shell, 'shell')
  return shell
}

function folder(cwd: string | URL | null | undefined): string | undefined {
  const path = cwd instanceof URL ? fileURLToPath(cwd) : cwd
  return path === null || path === '' ? undefined : path
}

/** Inherited properties count, and everything becomes a string: `Object.create(process.env)` is an old habit. */
function environment(env: NodeJS.ProcessEnv | null | undefined): Record<string, string> | undefined {
  if (env === undefined || env === null) return undefined
  const copy: Record<string, string> = {}
  for (const name in env) {
    const value: unknown = env[name]
    if (value !== undefined) copy[name] = String(value)
  }
  return copy
}

/** 0 is "none" here, as in Node. */
function timeLimit(timeout: unknown): number | undefined {
  if (timeout === undefined || timeout === null || timeout === 0) return undefined
  if (Number.isInteger(timeout) && Number(timeout) > 0) return Number(timeout)
  throw new InvalidOptionError({
    code: 'ERR_OUT_OF_RANGE',
    option: 'timeout',
    must: 'be a whole number of milliseconds, 0 or more',
    value: timeout,
    fix: 'Leave it out for no timeout',
  })
}

function nullish<Value>(value: Value | null | undefined): Value | undefined {
  return value ?? undefined
}
