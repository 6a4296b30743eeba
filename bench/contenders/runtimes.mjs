// What Bun and Deno have of their own.

/** @type {import('./types.mjs').Contender} */
export const bunSpawn = {
  title: 'Bun.spawn, kill()',
  runtimes: ['bun'],
  async start(file, args, { env, timeout, signal }) {
    const { Bun } = /** @type {any} */ (globalThis)
    const stdio = ['ignore', 'ignore', 'ignore']
    const options = { env, stdio, signal, ...(timeout !== undefined && { timeout }) }
    const child = Bun.spawn([file, ...args], options)
    return {
      pid: child.pid,
      stop: () => {
        child.kill()
        return child.exited
      },
    }
  },
}

/** The same call: the runtime ends every descendant when it exits or its own parent dies. @type {import('./types.mjs').Contender} */
export const bunNoOrphans = { ...bunSpawn, title: 'Bun.spawn, bun --no-orphans', hostArgs: ['--no-orphans'] }

/** @type {import('./types.mjs').Contender} */
export const denoCommand = {
  title: 'Deno.Command, kill()',
  runtimes: ['deno'],
  async start(file, args, { env, timeout, signal }) {
    const { Deno } = /** @type {any} */ (globalThis)
    const limit = timeout === undefined ? signal : AbortSignal.timeout(timeout)
    const options = { args, env, stdin: 'null', stdout: 'null', stderr: 'null', signal: limit }
    const child = new Deno.Command(file, options).spawn()
    return {
      pid: child.pid,
      stop: () => {
        child.kill('SIGTERM')
        return child.status
      },
    }
  },
}
