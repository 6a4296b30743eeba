// One run of the suite: its name, its marks in the environment, and its temporary folder.
// The name is handed from vitest's main process to its workers, never to a host: only hosts and what they
// start carry the marks, so whoever carries one was started by a test.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Set by global-setup.ts, in the main process. */
export const SUITE_ID_VARIABLE = 'PROCLEASH_TEST_SUITE_ID'
/** In the environment of every host: which run started it. */
export const SUITE_VARIABLE = 'PROCLEASH_TEST_SUITE'
/** In the environment of every host: a name of its own. */
export const MARK_VARIABLE = 'PROCLEASH_TEST_MARK'

export function suiteId(): string {
  const id = process.env[SUITE_ID_VARIABLE]
  if (id === undefined)
    throw new Error(`${SUITE_ID_VARIABLE} is not set: vitest has to run test/support/global-setup.ts`)
  return id
}

export function suiteFolder(): string {
  return join(tmpdir(), `procleash-test-${suiteId()}`)
}

export function createSuiteFolder(): void {
  mkdirSync(suiteFolder(), { mode: 0o755 })
}

/** By rm(1): Node's own takes longer, and the packages that install tests leave are thousands of files. */
export function removeSuiteFolder(): void {
  execFileSync('rm', ['-rf', '--', suiteFolder()])
}

/** A fresh folder that hosts and commands of any user may write to. */
export function makeFolder(name: string): string {
  const folder = mkdtempSync(join(suiteFolder(), `${name}-`))
  chmodSync(folder, 0o777)
  return folder
}
