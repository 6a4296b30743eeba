// Starts host programs from test/hosts/ under a runtime and talks to them in JSON lines over their stdin and stdout.
// The host leads a session of its own, so that a test can kill it and look from outside. Every wait has a deadline.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeEach } from 'vitest'
import type { Settlement, SpawnOptions } from '../../src/types.js'
import { guardEachTest, type WatchedHost, watchHost } from './guard.js'
import { identify, isAlive, type ProcessId } from './proc.js'
import { exitOf, hostEnvironment, hostProgram, type ProgramExit } from './program.js'
import {
  type RemoteCommand,
  type RemoteContext,
  RemoteError,
  remoteCommand,
  type SentError,
} from './remote.js'
import type { Runtime } from './runtimes.js'
import { makeFolder } from './suite.js'
import { asUser } from './tools.js'
import type { Tree } from './tree.js'
import { waitFor, within } from './wait.js'

const DEADLINE = 20_000

export interface HostOptions {
  /** A program of test/hosts/. Default: `driver.mjs`, which carries out requests. */
  readonly program?: string
  readonly args?: readonly string[]
  /** Command and arguments that change something and then exec the runtime: `setpriv ...`, `python3 launcher.py`. */
  readonly via?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Start the host with this user and group id, without any other group. The suite has to run as root. */
  readonly user?: number
  readonly scope?: 'test' | 'file'
}

export interface HostEvent {
  readonly event: string
  readonly [key: string]: unknown
}

/** Spawn options that can travel as JSON; `abortable` gives the command a signal that {@link RemoteCommand.abort} aborts. */
export interface RemoteSpawnOptions extends Omit<SpawnOptions, 'signal' | 'env'> {
  /** Added to the host's own environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly abortable?: boolean
  /** Leave stdout and stderr unread. Default: both are collected. */
  readonly unread?: boolean
}

export interface Host extends ProcessId {
  readonly runtime: Runtime
  readonly mark: string
  /** The host's working directory, of its own. */
  readonly dir: string
  /** The helper's path, as the host says. */
  readonly helper: string
  readonly ended: Promise<ProgramExit>
  stderr(): string
  /** The first event of this name, past or to come. */
  event(name: string, deadline?: number): Promise<HostEvent>
  request<Result>(op: string, params?: object, deadline?: number): Promise<Result>
  /** A bare line of input, for programs other than the driver. */
  say(line: string): void
  /** Runs a function in the host. It travels as source text: it must not use anything from around it, nor `import`. */
  evaluate<Result, Argument>(
    body: (context: RemoteContext, argument: Argument) => Result | Promise<Result>,
    argument: Argument,
    deadline?: number,
  ): Promise<Result>
  spawn(file: string, args?: readonly string[], options?: RemoteSpawnOptions): Promise<RemoteCommand>
  /** Starts a tree as a command and waits until it stands. */
  plant(tree: Tree, options?: RemoteSpawnOptions): Promise<RemoteCommand>
  /** Nothing of the test keeps the host alive any more: it ends when its loop is empty. */
  letGo(): Promise<void>
  /** A signal from outside, to the host only. */
  kill(signal: NodeJS.Signals): void
  /** Ends the host's input, which makes the driver exit; SIGKILL if it doesn't. */
  close(): Promise<ProgramExit>
}

type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError }

/** A host that is ready for requests. */
export async function startHost(runtime: Runtime, options: HostOptions = {}): Promise<Host> {
  const mark = randomUUID()
  const dir = makeFolder(`host-${runtime.name}`)
  const argv = [
    ...(options.user === undefined ? [] : asUser(options.user)),
    ...(options.via ?? []),
    ...hostProgram(runtime, options.program ?? 'driver.mjs', ...(options.args ?? [])),
  ]
  // Another user can't write to our home, where runtimes have their caches.
  const home = options.user === undefined ? {} : { HOME: dir, DENO_DIR: join(dir, 'deno') }
  const child = spawn(argv[0]!, argv.slice(1), {
    cwd: dir,
    env: hostEnvironment(mark, { ...home, ...options.env }),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const { stdin, stdout, stderr } = child
  if (child.pid === undefined) throw new Error(`${argv[0]} could not be started`)

  let errorOutput = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-20_000)
  })
  stdin.on('error', () => {
    // A host that is gone takes no requests; the requests themselves say so.
  })
  let exit: ProgramExit | undefined
  const ended = exitOf(child).then((value) => {
    exit = value
    rmSync(dir, { recursive: true, force: true })
    return value
  })

  const events: HostEvent[] = []
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  createInterface({ input: stdout }).on('line', (line) => {
    const message = parseLine(line)
    if (message === undefined) errorOutput += `[stdout] ${line}\n`
    else if ('event' in message) events.push(message)
    else {
      const waiting = pending.get(message.id)
      pending.delete(message.id)
      if ('error' in message) waiting?.reject(new RemoteError(message.error))
      else waiting?.resolve(message.result)
    }
  })
  const describeEnd = () => `${runtime.name} host ended (${JSON.stringify(exit)})\n${errorOutput}`
  void ended.then(() => {
    for (const { reject } of pending.values()) reject(new Error(describeEnd()))
  })

  let lastId = 0
  const host: Host & WatchedHost = {
    ...identify(child.pid),
    runtime,
    mark,
    dir,
    scope: options.scope ?? 'test',
    helper: '',
    ended,
    stderr: () => errorOutput,
    event: (name, deadline = DEADLINE) =>
      waitFor(
        () => {
          const found = events.find((event) => event.event === name)
          if (found === undefined && exit !== undefined) throw new Error(`no event ${name}: ${describeEnd()}`)
          return found
        },
        deadline,
        `event ${name} of the ${runtime.name} host\n${errorOutput}`,
      ),
    request<Result>(op: string, params: object = {}, deadline = DEADLINE) {
      if (exit !== undefined) return Promise.reject(new Error(describeEnd()))
      const id = ++lastId
      const answer = new Promise<unknown>((resolve, reject) => pending.set(id, { resolve, reject }))
      stdin.write(`${JSON.stringify({ id, op, ...params })}\n`)
      return within(
        answer as Promise<Result>,
        deadline,
        `answer of the ${runtime.name} host to ${op}\n${errorOutput}`,
      )
    },
    say(line) {
      stdin.write(`${line}\n`)
    },
    evaluate(body, argument, deadline) {
      return host.request('evaluate', { source: body.toString(), argument }, deadline)
    },
    async spawn(file, args = [], spawnOptions = {}) {
      const sent = await host.request<{ handle: number; pid: number; spawnCall: number }>('spawn', {
        file,
        args,
        options: spawnOptions,
      })
      return remoteCommand(host, sent)
    },
    async plant(tree, spawnOptions = {}) {
      const command = await host.spawn(tree.file, tree.args, {
        ...spawnOptions,
        env: { ...spawnOptions.env, ...tree.env },
      })
      await tree.ready()
      return command
    },
    kill(signal) {
      if (isAlive(host)) process.kill(host.pid, signal)
    },
    async letGo() {
      await host.request('letGo')
      stdin.end()
    },
    async close() {
      stdin.end()
      try {
        return await within(ended, 5000, 'the host exits at the end of its input')
      } catch (error) {
        child.kill('SIGKILL')
        await ended
        throw error
      }
    },
    async end() {
      // A host that was stopped by a signal or is busy would never see the end of its input.
      stdin.end()
      await within(ended, 2000, 'exit').catch(() => child.kill('SIGKILL'))
      await ended
    },
  }
  watchHost(host)
  if (options.program === undefined) {
    const ready = await host.event('ready')
    host.helper = String(ready.helper)
    return host
  }
  return host
}

/** A host for all tests of the block, started again when one of them has ended it. Brings the guard along. */
export function useHost(runtime: Runtime, options: Omit<HostOptions, 'scope'> = {}): () => Host {
  guardEachTest()
  let host: Host | undefined
  beforeEach(async () => {
    if (host === undefined || !isAlive(host)) host = await startHost(runtime, { ...options, scope: 'file' })
  })
  return () => {
    if (host === undefined) throw new Error('the host starts before the first test, not earlier')
    return host
  }
}

/** Stop with the cases' usual measure: SIGTERM, and SIGKILL about 600 ms later. */
export function stopIn700(command: RemoteCommand): Promise<Settlement> {
  return command.stop({ budget: 700 })
}

function parseLine(line: string): HostEvent | Answer | undefined {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null ? (message as HostEvent | Answer) : undefined
  } catch {
    return undefined
  }
}
