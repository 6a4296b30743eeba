// Runs programs to their end, and what every program that a test starts gets: the marks in its environment, and a
// session of its own.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { watchHost } from './guard.js'
import { identify } from './proc.js'
import type { Runtime } from './runtimes.js'
import { MARK_VARIABLE, SUITE_ID_VARIABLE, SUITE_VARIABLE, suiteId } from './suite.js'
import { within } from './wait.js'

const hostsFolder = fileURLToPath(new URL('../hosts/', import.meta.url))
const DEADLINE = 20_000

export interface ProgramExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ProgramResult extends ProgramExit {
  readonly stdout: string
  readonly stderr: string
  readonly duration: number
}

/** Runs a program to its end in the marked environment and waits until its output has ended as well. */
export async function runProgram(
  argv: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>
    readonly input?: string
    readonly deadline?: number
    readonly cwd?: string
    /** Called with the pid as soon as there is one. */
    readonly started?: (pid: number) => void
    /** Called with all of the output so far, whenever there is more. */
    readonly output?: (stdout: string) => void
  } = {},
): Promise<ProgramResult> {
  const started = performance.now()
  const mark = randomUUID()
  const child = spawn(argv[0]!, argv.slice(1), {
    cwd: options.cwd,
    env: hostEnvironment(mark, options.env),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  if (child.pid === undefined) throw new Error(`${argv[0]} could not be started`)
  const id = identify(child.pid)
  options.started?.(child.pid)
  const ended = exitOf(child)
  watchHost({ ...id, mark, scope: 'test', helper: '', end: () => endChild(child, ended) })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('latin1').on('data', (text: string) => {
    output.stdout += text
    options.output?.(output.stdout)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  child.stdin.on('error', () => {
    // A program that ends without reading its input is fine.
  })
  child.stdin.end(options.input ?? '')
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await within(closed, options.deadline ?? DEADLINE, `end of ${argv.join(' ').slice(0, 200)}`)
  return { ...(await ended), ...output, duration: performance.now() - started }
}

/** The argv that runs a program of test/hosts/ in a runtime. */
export function hostProgram(runtime: Runtime, program: string, ...args: string[]): string[] {
  return [runtime.command, ...runtime.args, `${hostsFolder}${program}`, ...args]
}

export function hostEnvironment(
  mark: string,
  extra: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const { [SUITE_ID_VARIABLE]: _, NODE_OPTIONS: __, VITEST: ___, ...inherited } = process.env
  return {
    ...inherited,
    [SUITE_VARIABLE]: suiteId(),
    [MARK_VARIABLE]: mark,
    NO_COLOR: '1',
    DENO_NO_UPDATE_CHECK: '1',
    // A bash whose input is a socket reads ~/.bashrc, unless it knows that it is below another one (bash(1), SHLVL).
    SHLVL: '1',
    ...extra,
  }
}

export function exitOf(child: ChildProcess): Promise<ProgramExit> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
}

async function endChild(child: ChildProcess, ended: Promise<ProgramExit>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  await ended
}
