// The file of `--json`. A reader finds the old file, the whole new one, or none; never a part.

import { randomBytes } from 'node:crypto'
import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Exit, Settlement } from '../types.js'

export interface Report {
  readonly command: { readonly file: string; readonly args: readonly string[]; readonly pid: number | null }
  /** `null` when nothing was started; then `error` says why. */
  readonly exit: Exit | null
  readonly settlement: Settlement | null
  readonly error?: { readonly code: string; readonly message: string }
}

/** The same of a process that was not started here. */
export interface StopReport {
  readonly pid: number
  /** `null` when nothing was signalled; then `error` says why. */
  readonly settlement: Settlement | null
  readonly error?: { readonly code: string; readonly message: string }
}

export type WriteReport<Content> = (report: Content) => void

/** Throws when the report could not be written later: better before anything has happened than after. */
export function openReport<Content extends Report | StopReport>(
  file: string | undefined,
): WriteReport<Content> {
  if (file === undefined) return () => {}
  if (file === '-') return (report) => process.stderr.write(serialise(report))
  const known = statSync(file, { throwIfNoEntry: false })
  if (known?.isDirectory()) throw new Error(`--json ${file} is a folder. Name a file`)
  // A pipe or device is written to, never replaced by a file.
  if (known !== undefined && !known.isFile()) return (report) => writeFileSync(file, serialise(report))
  const target = known === undefined ? path.resolve(file) : realpathSync(file)
  accessSync(path.dirname(target), constants.W_OK)
  return (report) => replaceFile(target, serialise(report))
}

function replaceFile(target: string, content: string): void {
  const draft = `${target}.${randomBytes(6).toString('hex')}.tmp`
  try {
    // wx: never through a link that somebody else has put there.
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx' })
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

function serialise(report: Report | StopReport): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
