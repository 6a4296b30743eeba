// procleash-init as PID 1 of real containers, above each runtime as the main program.

import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { type ContainerOptions, missingContainers, startContainer } from '../support/container.js'
import { guardEachTest } from '../support/guard.js'
import { initFile } from '../support/init.js'
import { descendantsOf, isAlive, statusOf } from '../support/proc.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

// It leaves a daemon that saves for 200 ms, and ends with 7 after 100 ms itself.
const daemon = `trap 'sleep 0.2; : >/state/mark.saved; exit' TERM; : >/state/ready; while :; do sleep 0.01; done`
const program = `
import { spawn } from 'node:child_process'
import process from 'node:process'
process.on('SIGTERM', () => setTimeout(() => process.exit(7), 100))
spawn('setsid', ['-f', 'sh', '-c', ${JSON.stringify(daemon)}], { stdio: 'ignore' })
setInterval(() => {}, 1000)
`

const lacks = missingContainers()
const suffix = lacks.length > 0 ? ` (skipped: ${lacks.join(', ')})` : ''

function commandOf(runtime: Runtime): string[] {
  if (runtime.name === 'deno') return ['/runtime', 'eval', '--no-lock', program]
  return ['/runtime', ...(runtime.name === 'bun' ? [] : ['--input-type=module']), '-e', program]
}

/** Starts it, sends the signal when its daemon is there, and waits for the end. */
async function stop(runtime: Runtime, signal: string, options: Partial<ContainerOptions> = {}) {
  const tree = plantTree('ready.sh')
  const container = await startContainer(['/init', '--', ...commandOf(runtime)], {
    files: { '/init': initFile, '/runtime': runtime.executable },
    state: tree.dir,
    ...options,
  })
  await waitUntil(() => tree.has('ready'), 20_000, 'the daemon is ready')
  expect(statusOf(container.id.pid, 'Seccomp')).toBe(options.refused === undefined ? '0' : '2')
  const members = descendantsOf(container.id.pid)
  const sent = performance.now()
  container.kill(signal)
  const { code, stderr } = await container.ended
  const elapsed = performance.now() - sent
  expect([...members, container.id].filter((id) => isAlive(id))).toEqual([])
  return { code, stderr, elapsed, saved: tree.has('mark.saved') }
}

describe.skipIf(lacks.length > 0)(`in a container of runc's${suffix}`, () => {
  guardEachTest()

  forEachRuntime((runtime) => {
    it('runc kill TERM: everything ends in peace, with the main program’s own status', async () => {
      const { elapsed, ...rest } = await stop(runtime, 'TERM')
      expect(rest).toEqual({ code: 7, stderr: '', saved: true })
      expect(elapsed).toBeGreaterThan(190)
      expect(elapsed).toBeLessThan(2000)
    })

    it('runc kill KILL: 137, and nothing is left', async () => {
      expect(await stop(runtime, 'KILL')).toMatchObject({ code: 137, saved: false })
    })

    it('as an ordinary user, where seccomp refuses clone3, pidfds and close_range', async () => {
      const { ENOSYS, EPERM } = constants.errno
      const refused = {
        clone3: ENOSYS,
        close_range: ENOSYS,
        pidfd_open: EPERM,
        pidfd_send_signal: EPERM,
      }
      expect(await stop(runtime, 'TERM', { user: 65_534, refused })).toMatchObject({ code: 7, saved: true })
    })
  })
})
