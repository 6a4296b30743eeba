// Paths in a folder that ends with the run.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atExit } from './cleanup.mjs'

let folder = ''
let number = 0

/** A path that nothing has yet. @param {string} name */
export function temporaryPath(name) {
  if (folder === '') {
    folder = mkdtempSync(join(tmpdir(), 'procleash-bench-'))
    atExit(() => rmSync(folder, { recursive: true, force: true }))
  }
  number += 1
  return join(folder, `${name}-${number}`)
}
