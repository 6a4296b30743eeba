// Children of a runtime's own spawn, of each kind that it has, and adopt() in the host.

import type { AdoptOptions, Exit } from '../../src/types.js'
import type { Host } from './host.js'
import { type RemoteCommand, remoteCommand } from './remote.js'
import type { Runtime } from './runtimes.js'
import type { Tree } from './tree.js'

/** Whose spawn: of node:child_process, which all have, or the runtime's other one. */
export type Starter = 'child_process' | 'Bun.spawn' | 'Deno.Command'

export function startersOf(runtime: Runtime): readonly Starter[] {
  if (runtime.name === 'bun') return ['child_process', 'Bun.spawn']
  return runtime.name === 'deno' ? ['child_process', 'Deno.Command'] : ['child_process']
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly detached?: boolean
}

/** Starts a command by the runtime's own spawn; it is `kept[name]` there. Gives its pid. */
export function startChild(
  host: Host,
  starter: Starter,
  argv: readonly string[],
  { env = {}, detached = false }: StartOptions = {},
  name = 'child',
): Promise<number> {
  return host.evaluate(
    ({ childProcess, process, kept }, request) => {
      const [file = '', ...args] = request.argv
      const whole = { ...process.env, ...request.env } as Record<string, string>
      const { Bun, Deno } = globalThis as unknown as {
        Bun: { spawn(argv: readonly string[], options: object): { pid: number } }
        Deno: { Command: new (file: string, options: object) => { spawn(): { pid: number } } }
      }
      const { detached } = request
      const start = (): { pid?: number | undefined } => {
        if (request.starter === 'Bun.spawn')
          return Bun.spawn(request.argv, { env: whole, detached, stdio: ['ignore', 'ignore', 'ignore'] })
        if (request.starter === 'Deno.Command') {
          const silent = { stdin: 'null', stdout: 'null', stderr: 'null' }
          return new Deno.Command(file, { args, env: whole, detached, ...silent }).spawn()
        }
        return childProcess.spawn(file, args, { env: whole, detached, stdio: 'ignore' })
      }
      const child = start()
      kept[request.name] = child
      return child.pid!
    },
    { starter, argv, env, detached, name },
  )
}

/** Adopts what {@link startChild} has kept. `owner`: the id of one that is created for it. */
export async function adoptChild(
  host: Host,
  options: Omit<AdoptOptions, 'owner'> & { readonly owner?: string } = {},
  name = 'child',
): Promise<RemoteCommand> {
  const sent = await host.evaluate(
    async ({ procleash, kept, takeCommand }, request) => {
      const { owner: id, ...rest } = request.options
      if (id !== undefined) kept[id] ??= procleash.createOwner(id)
      const owner = id === undefined ? {} : { owner: kept[id] as import('../../src/index.js').Owner }
      const child = kept[request.name] as import('../../src/index.js').AdoptableChild
      return takeCommand(await procleash.adopt(child, { ...rest, ...owner }))
    },
    { options, name },
  )
  return remoteCommand(host, { ...sent, spawnCall: 0 })
}

/** A tree that stands already when it is adopted. */
export async function adoptTree(
  host: Host,
  starter: Starter,
  tree: Tree,
  options: StartOptions & AdoptOptionsOf = {},
): Promise<RemoteCommand> {
  const { detached = false, ...rest } = options
  await startChild(host, starter, [tree.file, ...tree.args], { env: tree.env, detached })
  await tree.ready()
  return adoptChild(host, rest)
}

type AdoptOptionsOf = NonNullable<Parameters<typeof adoptChild>[1]>

/** What the runtime's own object says of its child's end. */
export function childExit(host: Host, name = 'child'): Promise<Exit> {
  return host.evaluate(async ({ kept }, key) => {
    const child = kept[key] as {
      exitCode?: number | null
      signalCode?: Exit['signal']
      exited?: Promise<unknown>
      status?: Promise<{ code: number; signal: Exit['signal'] }>
      once?(event: 'exit', listener: () => void): void
    }
    if (child.status !== undefined) {
      const { code, signal } = await child.status
      return { code: signal === null ? code : null, signal }
    }
    const ended = () => child.exitCode !== null || child.signalCode !== null
    if (child.exited !== undefined) await child.exited
    else if (!ended()) await new Promise<void>((resolve) => child.once?.('exit', resolve))
    return { code: child.exitCode ?? null, signal: child.signalCode ?? null }
  }, name)
}
