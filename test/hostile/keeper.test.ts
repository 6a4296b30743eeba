// A keeper that misuses its lease: the host takes it for lost, finds and ends the command by itself, says that it could
// not be told of the end, and keeps no descriptor. The misuses are in keeper.py.

import { readdirSync, readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { carriersOf } from '../support/proc.js'
import type { RemoteError } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { waitUntil, within } from '../support/wait.js'

const helper = fileURLToPath(new URL('keeper.py', import.meta.url))

/** Said of a command that has started. */
const AFTER_START = [
  'header truncated',
  'payload truncated',
  'oversized',
  'size of 4 GiB',
  'another version',
  'unknown type',
  'a frame of the other direction',
  'started twice',
  'exited twice',
  'failed after its start',
  'descriptors',
  'a settlement of two bytes',
  'a reason that nobody knows',
  'a list that is too short',
]
/** Said before it, or instead. */
const BEFORE_START = [
  'settled before its start',
  'exited before its start',
  'PID 1',
  'PID -1',
  'started in one byte',
  'nothing',
]

function linkOf(path: string): string {
  try {
    return readlinkSync(path).replace(/\[\d+\]/, '')
  } catch {
    return 'closed meanwhile'
  }
}

/** What they are open on; numbers of pipes and sockets are left out. */
function descriptorsOf(host: Host): string[] {
  return readdirSync(`/proc/${host.pid}/fd`)
    .map((name) => linkOf(`/proc/${host.pid}/fd/${name}`))
    .sort()
}

/** The command carries its misuse in the environment; its keeper does not. */
async function isEnded(misuse: string): Promise<void> {
  const carriers = () => carriersOf(`HOSTILE=${misuse}`)
  await waitUntil(() => carriers().length === 0, 10_000, `the command of "${misuse}" has ended`)
}

async function misuse(host: Host): Promise<void> {
  const spawn = (name: string) => host.spawn('sh', [name], { env: { HOSTILE: name } })
  for (const name of AFTER_START) {
    const command = await spawn(name)
    const { outcome, reason, proof } = await within(command.settled(), 10_000, `settlement after "${name}"`)
    expect({ name, reason }).toEqual({ name, reason: 'supervisor-lost' })
    // Never with a keeper's proof: there was no honest word of one.
    expect(['snapshot', 'cgroup', 'none'], name).toContain(proof)
    expect(outcome === 'empty' || proof === 'none', `${name}: ${outcome} by ${proof}`).toBe(true)
    await isEnded(name)
  }
  for (const name of BEFORE_START) {
    const error: RemoteError = await spawn(name).then(
      () => expect.unreachable(`${name}: it was started`),
      (refusal) => refusal,
    )
    expect(error.code, name).toMatch(/^ERR_PROCLEASH_|^E[A-Z]+$/)
    await isEnded(name)
  }
}

forEachRuntime((runtime) => {
  guardEachTest()

  it('is taken for lost', { timeout: 120_000 }, async () => {
    const host = await startHost(runtime, { env: { PROCLEASH_HELPER: helper } })
    // Twice: a runtime opens some descriptors of its own for its first ends and errors.
    await misuse(host)
    const before = descriptorsOf(host)
    await misuse(host)
    await waitUntil(
      () => descriptorsOf(host).length <= before.length,
      10_000,
      () => `${descriptorsOf(host)}, as before: ${before}`,
    )
  })
})
