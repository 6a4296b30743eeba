// A user's project in a folder of its own, with the packed procleash in its node_modules.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { type ProgramResult, runProgram } from '../../support/program.js'
import { makeFolder } from '../../support/suite.js'
import { bareEnvironment } from './bare.js'
import { programsFolder, root } from './places.js'

export interface Project {
  readonly folder: string
  /** Of the installed package; in a project by Yarn's Plug'n'Play there is none. */
  readonly installed: string
}

/** An empty project, with the programs of the tests. */
export function emptyProject(name: string, manifest: object = {}): Project {
  const folder = makeFolder(name)
  writeManifest(folder, manifest)
  cpSync(programsFolder, folder, { recursive: true })
  return { folder, installed: join(folder, 'node_modules/procleash') }
}

function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', ...manifest }))
}

/** With the package unpacked, as every package manager that has a node_modules leaves it. */
export function installedProject(name: string, at?: string): Project {
  const outer = emptyProject(name)
  const folder = at === undefined ? outer.folder : join(outer.folder, at)
  if (at !== undefined) {
    mkdirSync(folder)
    writeManifest(folder, {})
    cpSync(programsFolder, folder, { recursive: true })
  }
  const installed = join(folder, 'node_modules/procleash')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', inject('tarball'), '--strip-components=1', '-C', installed])
  return { folder, installed }
}

/** What real.mjs says. */
export interface Report {
  readonly keeper: string
  readonly pids: readonly number[]
  readonly outcome: string
  readonly proof: string
  readonly escalated: boolean
  readonly grade: string
  readonly helper: string
  readonly arch: string
  readonly runtime: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly deadline?: number
}

export interface RealOptions extends RunOptions {
  /** Where the kernel, or who plays it, refuses a subreaper. */
  readonly unproved?: boolean
}

/** Runs a program in the project, without a compiler in PATH. */
export function runIn(
  { folder }: { readonly folder: string },
  argv: readonly string[],
  { env, deadline = 60_000 }: RunOptions = {},
): Promise<ProgramResult> {
  return runProgram(argv, { cwd: folder, env: { ...bareEnvironment(folder), ...env }, deadline })
}

/** Runs real.mjs, or what was made of it, and checks that the tree has been stopped. That it is gone, the guard sees. */
export async function expectReal(
  project: { readonly folder: string },
  argv: readonly string[],
  { unproved = false, ...options }: RealOptions = {},
): Promise<Report> {
  const { stdout, stderr, code } = await runIn(project, argv, options)
  expect(code, stderr).toBe(0)
  const report: Report & { said: string; versions: { procleash: string } } = JSON.parse(
    Buffer.from(stdout, 'latin1').toString().trim().split('\n').at(-1) ?? '',
  )
  const end = unproved
    ? { outcome: 'survivors', survivors: [], proof: 'none' }
    : { outcome: 'empty', proof: 'subreaper' }
  expect(report).toMatchObject({ said: 'a b\n', escalated: true, ...end })
  expect(report.versions.procleash).toBe(packageVersion())
  expect(report.pids.length).toBe(argv.includes('--tame') ? 2 : 4)
  return report
}

export function packageVersion(): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version
}
