// Grade `group` says what it is: in capabilities(), in each settlement, and where more is asked for.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Capabilities } from '../../src/types.js'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { type RemoteError, remoteRun } from '../support/remote.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { plantTree } from '../support/tree.js'

const FORCED = { PROCLEASH_GRADE: 'group' }

const capabilitiesOf = (host: Host): Promise<Capabilities> =>
  host.evaluate(({ procleash }) => procleash.capabilities(), null)

/** What a Deno host may do that was given everything but native code. */
const withoutFfi = (runtime: Runtime): Runtime => ({
  ...runtime,
  args: [...runtime.args.filter((arg) => arg !== '-A'), '--no-prompt', '-RWES', '--allow-run'],
})

async function expectRefusal(
  refused: Promise<unknown>,
  className: string,
  code: string,
): Promise<RemoteError> {
  const error: RemoteError = await refused.then(
    () => expect.unreachable('it was not refused'),
    (reason) => reason,
  )
  expect([error.className, error.code]).toEqual([className, code])
  return error
}

async function expectGroupGrade(host: Host, why: string): Promise<void> {
  const found = await capabilitiesOf(host)
  expect(found).toMatchObject({ grade: 'group', strongest: 'group', helper: null, versions: { addon: null } })
  expect(found.reasons).toContain(`tree: ${why}`)

  const error = await expectRefusal(
    host.spawn('true', [], { require: 'tree' }),
    'GradeError',
    'ERR_PROCLEASH_GRADE',
  )
  expect(error.message).toContain(why)

  const result = await remoteRun(host, 'bash', ['-c', 'echo out; echo err >&2; exit 3'], { require: 'group' })
  expect(result).toMatchObject({ stdout: 'out\n', stderr: 'err\n', code: 3, reason: 'exit' })
  expect(result.settlement).toMatchObject({ outcome: 'empty', proof: 'snapshot' })

  const tree = plantTree('deaf-family.sh')
  const command = await host.plant(tree)
  const settlement = await command.stop()
  expect(tree.alive()).toEqual([])
  expect(settlement).toMatchObject({ outcome: 'empty', proof: 'snapshot', escalated: true })
}

forEachRuntime((runtime) => {
  guardEachTest()

  it('forced by PROCLEASH_GRADE', async () => {
    const host = await startHost(runtime, { env: FORCED })
    await expectGroupGrade(host, 'PROCLEASH_GRADE is group')
    await expectRefusal(
      host.evaluate(({ procleash }) => procleash.stopTree(4_000_000), null),
      'NativeMissingError',
      'ERR_PROCLEASH_NATIVE_MISSING',
    )
  })

  it('nothing is called empty where ps says nothing', async () => {
    const folder = makeFolder('ps')
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'ps'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const env = { ...FORCED, PATH: `${folder}:${process.env.PATH}` }
    const host = await startHost(runtime, { env })

    const { settlement } = await remoteRun(host, 'true')
    expect(settlement).toMatchObject({ outcome: 'survivors', proof: 'none', survivors: [], reason: 'exit' })

    // The group is killed all the same.
    const tree = plantTree('deaf-shell.sh')
    const command = await host.plant(tree)
    expect(await command.stop()).toMatchObject({ outcome: 'survivors', proof: 'none', escalated: true })
    expect(tree.alive()).toEqual([])
  })

  it("stops trees at the host's own end", async () => {
    const host = await startHost(runtime, { env: FORCED })
    const trees = [plantTree('deaf-family.sh'), plantTree('double-fork-daemon.py')]
    for (const tree of trees) await host.plant(tree)
    await host.request('end', { how: 'exit' })
    await host.ended
    // The guard looks for whatever is left.
  })

  if (runtime.name !== 'deno') return

  it('starts nothing where Deno would not let it be stopped', async () => {
    const args = withoutFfi(runtime).args.map((arg) => arg.replace(/^--allow-run$/, '--allow-run=sleep,ps'))
    const host = await startHost({ ...runtime, args })
    const error = await expectRefusal(host.spawn('sleep', ['60']), 'SpawnError', 'EACCES')
    expect(error.fix).toContain('--allow-run without a list')
  })

  it('chosen where native code is not allowed', async () => {
    // Not forced, also where the whole suite is.
    const host = await startHost(withoutFfi(runtime), { env: { PROCLEASH_GRADE: '' } })
    await expectGroupGrade(host, 'Deno was started without --allow-ffi')
  })
})
