// What programs do without procleash, for negative controls: a check must find fault with each of these, or it
// couldn't find fault with us either. All of it runs in the host, with the runtime's own child_process.

import type { Host } from './host.js'
import type { Tree } from './tree.js'

export interface NaiveOptions {
  /** A group of its own. */
  readonly detached?: boolean
  /** Milliseconds, by `AbortSignal.timeout`. */
  readonly timeout?: number
}

/** Starts a tree and waits until it stands. Gives the pid. */
export async function naiveSpawn(host: Host, tree: Tree, options: NaiveOptions = {}): Promise<number> {
  const pid = await host.evaluate(
    ({ childProcess, process, kept }, { file, args, env, detached = false, timeout }) => {
      const child = childProcess.spawn(file, args, {
        env: { ...process.env, ...env },
        detached,
        stdio: 'ignore',
        ...(timeout !== undefined && { signal: AbortSignal.timeout(timeout) }),
      })
      child.on('error', () => {
        // The abort, which this reports.
      })
      kept.child = child
      kept.ended = new Promise((resolve) => child.once('exit', resolve))
      return child.pid!
    },
    { file: tree.file, args: tree.args, env: tree.env, ...options },
  )
  await tree.ready()
  return pid
}

/** SIGTERM to the one process that is known; SIGKILL to it when it hasn't ended after `grace`. Settles with its end. */
export function naiveStop(host: Host, grace: number): Promise<void> {
  return host.evaluate(async ({ kept, process }, ms) => {
    const { pid } = kept.child as import('node:child_process').ChildProcess
    // Not child.kill(), which Deno does once only.
    process.kill(pid!, 'SIGTERM')
    const timer = setTimeout(() => process.kill(pid!, 'SIGKILL'), ms)
    await kept.ended
    clearTimeout(timer)
  }, grace)
}

/** The same with the group of a detached child. */
export function naiveGroupStop(host: Host, grace: number): Promise<void> {
  return host.evaluate(async ({ kept, process }, ms) => {
    const child = kept.child as import('node:child_process').ChildProcess
    process.kill(-child.pid!, 'SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, ms))
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // No such group any more.
    }
    await kept.ended
  }, grace)
}
