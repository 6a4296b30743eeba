// A setuid root copy of setpriv: what any user may run and nobody but root may signal.

import { chmodSync, copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeFolder } from './suite.js'

/** Its path; it goes with the test. Needs root. */
export function plantSetuid(): string {
  const folder = makeFolder('setuid')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const setuid = join(folder, 'setpriv')
  copyFileSync('/usr/bin/setpriv', setuid)
  chmodSync(setuid, 0o4755)
  return setuid
}
