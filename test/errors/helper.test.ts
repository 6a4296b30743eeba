// A helper that is missing, not executable, broken or of another version: a typed error, and nothing is started.

import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { startHost } from '../support/host.js'
import type { RemoteError } from '../support/remote.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { itNeeds } from '../support/tools.js'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** As long as ours. */
const OTHER = version.replaceAll(/\d/g, '9')

/** What a spawn says in a host that was told to use this helper. */
async function spawnWith(runtime: Runtime, helper: string): Promise<RemoteError> {
  const host = await startHost(runtime, { env: { PROCLEASH_HELPER: helper } })
  return host.spawn('true').then(
    () => expect.unreachable('it was started'),
    (error) => error,
  )
}

function writeHelper(content: string | Uint8Array, mode = 0o755): string {
  const folder = makeFolder('helper')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'helper')
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

/** The real helper, with another version written over its own: same length, so that nothing else moves. */
async function helperOfAnotherVersion(runtime: Runtime): Promise<string> {
  const host = await startHost(runtime)
  const bytes = readFileSync(host.helper)
  await host.close()
  let found = 0
  for (let at = bytes.indexOf(version); at >= 0; at = bytes.indexOf(version, at + 1)) {
    bytes.write(OTHER, at)
    found += 1
  }
  expect(found, "the helper's version").toBeGreaterThan(0)
  return writeHelper(bytes)
}

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(['vfork'], 'missing', async () => {
    const error = await spawnWith(runtime, '/no/such/helper')
    expect([error.className, error.code]).toEqual(['HelperError', 'ERR_PROCLEASH_HELPER_MISSING'])
    expect(error.message).toContain('/no/such/helper')
    expect(error.fix).toBeTypeOf('string')
  })

  itNeeds(['vfork'], 'not executable', async () => {
    const helper = writeHelper('text', 0o644)
    const error = await spawnWith(runtime, helper)
    expect([error.className, error.code]).toEqual(['HelperError', 'ERR_PROCLEASH_HELPER_NOT_EXECUTABLE'])
    expect(error.message).toContain(helper)
  })

  it('ends at once', async () => {
    const error = await spawnWith(runtime, writeHelper('#!/bin/sh\nexit 3\n'))
    expect([error.className, error.code]).toEqual(['HelperError', 'ERR_PROCLEASH_HELPER_FAILED'])
  })

  it('of another version', async () => {
    const error = await spawnWith(runtime, await helperOfAnotherVersion(runtime))
    expect([error.className, error.code]).toEqual(['HelperError', 'ERR_PROCLEASH_HELPER_VERSION'])
    expect(error.message).toContain(OTHER)
  })
})
