// Starts procleash-init the ways it is used: as PID 1 of a namespace made by root or by an ordinary user, and as a mere
// subreaper. What runs in a namespace has other numbers there: a tree's pid files mean nothing outside.

import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { childrenOf, identify, type ProcessId } from './proc.js'
import { type ProgramResult, runProgram } from './program.js'
import { asUser, missing, type Requirement } from './tools.js'
import { waitFor } from './wait.js'

export const initFile = fileURLToPath(new URL('../../build/Release/procleash-init', import.meta.url))

/** What makes a command run without rights: nothing, where the tests have none. */
const ordinary = process.getuid?.() === 0 ? asUser(65_534) : []
const ordinaryNeeds: readonly Requirement[] = ordinary.length > 0 ? ['setpriv'] : []

export interface InitMode {
  readonly name: string
  readonly pid1: boolean
  readonly needs: readonly Requirement[]
  /** The argv that runs another one in this mode. Its last program is the one to be signalled. */
  wrap(argv: readonly string[]): string[]
}

const namespace = ['--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc']

/** As in a container of root's: a PID namespace with a /proc of its own. */
export const asPid1: InitMode = {
  name: 'PID 1',
  pid1: true,
  needs: ['pid-namespace'],
  wrap: (argv) => ['unshare', ...namespace, ...argv],
}

export const rootless: InitMode = {
  name: 'PID 1, rootless',
  pid1: true,
  needs: [...ordinaryNeeds, 'user-namespace'],
  wrap: (argv) => [...ordinary, 'unshare', '--user', '--map-root-user', ...namespace, ...argv],
}

/** Not PID 1: it has to be told to adopt. */
export const asSubreaper: InitMode = {
  name: 'subreaper, as an ordinary user',
  pid1: false,
  needs: ordinaryNeeds,
  wrap: (argv) => [...ordinary, argv[0]!, '-s', ...argv.slice(1)],
}

export const modes: readonly InitMode[] = [asPid1, rootless, asSubreaper]

/** One describe block for each mode; where it can't be had, it is skipped, with the reason in its title. */
export function forEachMode(define: (mode: InitMode) => void): void {
  for (const mode of modes) describeMode(mode, mode.name, () => define(mode))
}

export function describeMode(mode: InitMode, title: string, define: () => void): void {
  const lacks = missing(mode.needs)
  if (lacks.length === 0) describe(title, define)
  else describe.skip(`${title} (skipped: ${lacks.join(', ')})`, define)
}

export interface RunningInit {
  /** The init itself, in the numbers of this namespace. */
  readonly id: ProcessId
  readonly ended: Promise<ProgramResult>
  signal(signal: NodeJS.Signals | number): void
}

export interface InitOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly options?: readonly string[]
  /** Another init than ours, with its own arguments. */
  readonly init?: readonly string[]
}

export async function startInit(
  mode: InitMode,
  command: readonly string[],
  { env = {}, options = [], init = [initFile, ...options, '--'] }: InitOptions = {},
): Promise<RunningInit> {
  let started = 0
  const ended = runProgram(mode.wrap([...init, ...command]), {
    env,
    started: (pid) => {
      started = pid
    },
  })
  const id = mode.pid1
    ? await waitFor(() => childrenOf(started)[0], 5000, 'the first process of the namespace')
    : identify(started)
  return { id, ended, signal: (signal) => process.kill(id.pid, signal) }
}

export function runInit(
  mode: InitMode,
  command: readonly string[],
  { env = {}, options = [], init = [initFile, ...options, '--'] }: InitOptions = {},
): Promise<ProgramResult> {
  return runProgram(mode.wrap([...init, ...command]), { env })
}
