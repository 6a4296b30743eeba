// The host as PID 1 of a container, in subreaper mode: C52, C53 and C55.

import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type ContainerOptions, missingContainers, startContainer } from '../support/container.js'
import { guardEachTest } from '../support/guard.js'
import { asPid1, describeMode, type InitMode, rootless, startInit } from '../support/init.js'
import { descendantsOf, isAlive, type ProcessId, statusOf } from '../support/proc.js'
import { hostProgram, type ProgramResult } from '../support/program.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const lacks = missingContainers()
const suffix = lacks.length > 0 ? ` (skipped: ${lacks.join(', ')})` : ''

interface Running {
  readonly id: ProcessId
  readonly ended: Promise<ProgramResult>
  kill(signal: string): void
}

/** Waits until its daemon is there, and checks what it has seen before. */
async function expectClean(tree: Tree): Promise<void> {
  await waitUntil(() => tree.has('ready'), 30_000, 'the daemon is ready')
  const result: unknown = JSON.parse(readFileSync(join(tree.dir, 'result.json'), 'utf8'))
  expect(result).toMatchObject({ pid: 1, codes: [7], zombies: 0, outcome: 'empty' })
  expect(result).toHaveProperty('reaped', 20)
}

async function stop(running: Running, tree: Tree, signal: string) {
  await expectClean(tree)
  const members = descendantsOf(running.id.pid)
  const sent = performance.now()
  running.kill(signal)
  const { code, stderr } = await running.ended
  const elapsed = performance.now() - sent
  expect([...members, running.id].filter((id) => isAlive(id))).toEqual([])
  return { code, stderr, elapsed, saved: tree.has('mark.saved') }
}

function inContainer(runtime: Runtime, tree: Tree, options: Partial<ContainerOptions> = {}) {
  const args = ['/procleash/test/hosts/pid1.mjs', '/state']
  return startContainer(['/runtime', ...runtime.args, ...args], {
    files: { '/runtime': runtime.executable },
    folders: { '/procleash': root },
    state: tree.dir,
    ...options,
  })
}

/** The same by unshare(1): a PID namespace and a /proc of its own, no other root. */
async function inNamespace(
  runtime: Runtime,
  tree: Tree,
  mode: InitMode,
  ...args: string[]
): Promise<Running> {
  // Native code is what is tested here, whatever the suite forces.
  const env = { HOME: tree.dir, DENO_DIR: join(tree.dir, 'deno'), PROCLEASH_GRADE: 'tree' }
  const command = hostProgram(runtime, 'pid1.mjs', tree.dir, ...args)
  const { id, ended, signal } = await startInit(mode, command, { env, init: [] })
  return { id, ended, kill: (name) => signal(`SIG${name}` as NodeJS.Signals) }
}

describe.skipIf(lacks.length > 0)(`in a container of runc's${suffix}`, () => {
  guardEachTest()

  forEachRuntime((runtime) => {
    it('runc kill TERM: its handler stops everything, adopted daemons too, in peace', async () => {
      const tree = plantTree('ready.sh')
      const { elapsed, ...rest } = await stop(await inContainer(runtime, tree), tree, 'TERM')
      expect(rest).toEqual({ code: 7, stderr: '', saved: true })
      expect(elapsed).toBeGreaterThan(190)
      expect(elapsed).toBeLessThan(5000)
    })

    it('as an ordinary user, where seccomp answers clone3 with ENOSYS; runc kill KILL: 137', async () => {
      const tree = plantTree('ready.sh')
      const options = { user: 65_534, refused: { clone3: constants.errno.ENOSYS } }
      const container = await inContainer(runtime, tree, options)
      await waitUntil(() => tree.has('ready'), 30_000, 'the daemon is ready')
      expect(statusOf(container.id.pid, 'Seccomp')).toBe('2')
      expect(await stop(container, tree, 'KILL')).toMatchObject({ code: 137, saved: false })
    })
  })
})

describeMode(rootless, 'in a PID namespace of an ordinary user', () => {
  guardEachTest()

  forEachRuntime((runtime) => {
    it('the same', async () => {
      const tree = plantTree('ready.sh')
      const running = await inNamespace(runtime, tree, rootless)
      expect(await stop(running, tree, 'TERM')).toMatchObject({ code: 7, saved: true })
    })
  })
})

describeMode(asPid1, 'C53: PID 1 without a handler', () => {
  guardEachTest()

  forEachRuntime((runtime) => {
    const title =
      runtime.name === 'deno'
        ? 'Deno’s own handler crashes: nothing is stopped in peace'
        : 'SIGTERM changes nothing, whatever the runtime’s own handler does'
    it(title, async () => {
      const tree = plantTree('ready.sh')
      const running = await inNamespace(runtime, tree, asPid1, 'deaf')
      await expectClean(tree)
      if (runtime.name === 'deno') {
        running.kill('TERM')
        expect(await running.ended).toMatchObject({ code: null, signal: 'SIGSEGV' })
        expect(tree.has('mark.saved')).toBe(false)
        return
      }
      const beat = () => Number(readFileSync(join(tree.dir, 'beat'), 'utf8'))
      await waitUntil(() => tree.has('beat'), 10_000, 'its loop goes round')
      running.kill('TERM')
      const sent = beat()
      await waitUntil(() => beat() > sent + 5, 10_000, 'it goes on')
      expect(await stop(running, tree, 'KILL')).toMatchObject({ saved: false })
    })
  })
})
