// Logs and spill files in a folder where others may plant things: nothing is followed, waited for or made readable.

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startHost, useHost } from '../support/host.js'
import { childrenOf } from '../support/proc.js'
import { chosenRuntimes } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { waitUntil } from '../support/wait.js'

/** Everybody may write there, as in /tmp. */
function openFolder(): string {
  const folder = makeFolder('planted')
  chmodSync(folder, 0o1777)
  return folder
}

// Files are opened by native code alone: one runtime tells as much as five.
const [runtime] = chosenRuntimes()

describe(runtime?.name ?? 'no runtime', () => {
  if (runtime === undefined || runtime.missing !== undefined) return
  const host = useHost(runtime)

  it('a link, a dangling link and a FIFO in the place of a log or spill file are refused, and stay', async () => {
    const folder = openFolder()
    const target = join(folder, 'target')
    writeFileSync(target, 'mine', { mode: 0o600 })
    symlinkSync(target, join(folder, 'link'))
    symlinkSync(join(folder, 'made'), join(folder, 'dangling'))
    execFileSync('mkfifo', [join(folder, 'fifo')])
    const told = await host().evaluate(
      async ({ procleash, describeError }, places) => {
        const script = ['-c', 'echo secret']
        const results: string[] = []
        for (const path of places) {
          const starts = [
            procleash.run('sh', script, { spillPath: path }),
            procleash.spawn('sh', script, { log: path }),
          ]
          for (const start of starts) {
            results.push(
              await start.then(
                () => 'started',
                (error: unknown) => `${describeError(error).className} ${describeError(error).code}`,
              ),
            )
          }
        }
        return results
      },
      ['link', 'dangling', 'fifo'].map((name) => join(folder, name)),
    )
    expect(told.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'SpawnError ELOOP'))
    for (const refusal of told.slice(4)) expect(refusal).toMatch(/^SpawnError (EINVAL|ENXIO)$/)
    expect(readFileSync(target, 'utf8')).toBe('mine')
    expect(existsSync(join(folder, 'made'))).toBe(false)
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true)
    expect(lstatSync(join(folder, 'fifo')).isFIFO()).toBe(true)
  })

  it('new ones are 0600, whatever the umask of the host', async () => {
    const folder = openFolder()
    const loose = await startHost(runtime, { via: ['sh', '-c', 'umask 0; exec "$@"', 'sh'] })
    await loose.evaluate(async ({ procleash }, path) => {
      await procleash.run('echo', ['out'], { spillPath: `${path}/spill` })
      const logged = await procleash.spawn('echo', ['out'], { log: `${path}/log` })
      await logged.settled
      await procleash.run('echo', ['out'], { stdout: { path: `${path}/stdout` } })
    }, folder)
    for (const name of ['spill', 'log', 'stdout']) {
      expect(readFileSync(join(folder, name), 'utf8')).toBe('out\n')
      expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
    }
    await waitUntil(() => childrenOf(loose.pid).length <= 1, 10_000, 'only the supervisor is left')
  })
})
