// Everything that a bug report needs: what this machine offers, which grade that gives, and whether a stop holds here.

import { release } from 'node:os'
import { capabilities } from '../capabilities.js'
import { ProcleashError } from '../errors.js'
import { run } from '../run.js'
import type { Capabilities } from '../types.js'
import { VERSION } from '../version.js'
import { type Finding, findingsOf } from './findings.js'
import { helperAsCommand, type SelfTest, selfTest } from './self-test.js'

export interface Examination {
  /** Whether the promise holds here: what a command has started is stopped, and that is proved. */
  readonly ok: boolean
  /** Why not; empty when it holds. Each names its fix. */
  readonly problems: readonly string[]
  readonly procleash: string
  readonly runtime: { readonly name: string; readonly version: string }
  readonly platform: string
  readonly arch: string
  /** `null` when it can't be read (Deno without `--allow-sys`). */
  readonly kernel: string | null
  /** `null` when the addon can't be loaded; then `problems` says why. */
  readonly capabilities: Capabilities | null
  /** As the helper says; `null` when it can't be started. */
  readonly helperVersion: string | null
  readonly findings: readonly Finding[]
  /** One for each grade that can be had. */
  readonly selfTests: readonly SelfTest[]
}

export async function examine(): Promise<Examination> {
  const about = {
    procleash: VERSION,
    runtime: runtime(),
    platform: process.platform,
    arch: process.arch,
    kernel: kernel(),
  }
  try {
    const found = capabilities()
    const findings = findingsOf(found)
    const helperVersion = await versionOf(helperAsCommand(found))
    const selfTests = await selfTestsOf(found)
    const problems = problemsOf(found, findings, selfTests)
    return {
      ok: problems.length === 0,
      problems,
      ...about,
      capabilities: found,
      helperVersion,
      findings,
      selfTests,
    }
  } catch (error) {
    if (!(error instanceof ProcleashError)) throw error
    const nothing = { capabilities: null, helperVersion: null, findings: [], selfTests: [] }
    return { ok: false, problems: [error.message], ...about, ...nothing }
  }
}

async function selfTestsOf(found: Capabilities): Promise<readonly SelfTest[]> {
  const results: SelfTest[] = []
  // The tree that is hard to stop is one of the helper's.
  if (found.helper === null) return results
  for (const grade of new Set([found.grade, found.strongest])) results.push(await selfTest(found, grade))
  return results
}

function problemsOf(
  found: Capabilities,
  findings: readonly Finding[],
  selfTests: readonly SelfTest[],
): readonly string[] {
  const failed = selfTests
    .filter((test) => !test.ok)
    .map((test) => `self-test of grade '${test.grade}': ${test.problem}`)
  if (found.helper === null) return found.reasons
  if (found.grade !== 'group') return failed
  const needed = findings.filter(({ name, present }) => !present && GRADE_NEEDS.includes(name))
  return [...needed.map(({ name, effect, fix }) => `${name} is missing: ${effect}. ${fix}`), ...failed]
}

/** Names of findings without which a spawn has grade `group` only. */
const GRADE_NEEDS: readonly string[] = ['subreaper', '/proc of this PID namespace']

/** The helper is a command like any other. Where it can't even be started, the self-test says why. */
async function versionOf(helper: string | null): Promise<string | null> {
  if (helper === null) return null
  try {
    const { stdout } = await run(helper, ['--version'], { timeout: 5000 })
    return /^procleash-supervisor (\S+)$/m.exec(stdout)?.[1] ?? null
  } catch (error) {
    if (error instanceof ProcleashError) return null
    throw error
  }
}

function kernel(): string | null {
  try {
    return release()
  } catch {
    return null
  }
}

/** Which runtime this is. */
export function runtime(): { readonly name: string; readonly version: string } {
  const { bun, deno, node = '' } = process.versions
  if (bun !== undefined) return { name: 'bun', version: bun }
  if (deno !== undefined) return { name: 'deno', version: deno }
  return { name: 'node', version: node }
}
