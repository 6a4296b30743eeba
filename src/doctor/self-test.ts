// One real stop of a tree that is hard to stop, and a look from outside at what is left of it.

import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { ProcleashError } from '../errors.js'
import { spawn } from '../spawn.js'
import type { Capabilities, Grade, Settlement, Subprocess } from '../types.js'

/** Milliseconds for the stop, and what a busy machine may add before it counts as failed. */
const BUDGET = 500
const PATIENCE = 1000
/** Milliseconds for the whole test. */
const TIMEOUT = 20_000

/** What the specimen says of its members; see native/supervisor/specimen.cc. */
const ROLES = ['leader', 'deaf', 'session', 'daemon', 'stopped', 'reborn', 'hopper']

export interface SelfTest {
  readonly grade: Grade
  readonly ok: boolean
  /** What went wrong; empty when nothing did. */
  readonly problem: string
  /** Kinds of processes that stood before the stop. */
  readonly roles: readonly string[]
  /** Processes of the tree that are in /proc after the stop; `null` when no /proc of this PID namespace could be read. */
  readonly left: number | null
  readonly settlement: Settlement | null
}

/**
 * The helper as a command, whichever is in use: the keeper's child is the helper until its exec. Its file may not be
 * executable, or not be there; then it runs from memory.
 */
export function helperAsCommand({ helper, procfs }: Capabilities): string | null {
  return helper !== null && procfs === 'own' ? '/proc/self/exe' : helper
}

export async function selfTest(found: Capabilities, grade: Grade): Promise<SelfTest> {
  const token = randomUUID()
  const helper = helperAsCommand(found)
  if (helper === null) throw new TypeError('there is no helper, whose tree this would be')
  const look = () => (found.procfs === 'own' ? carriersOf(token) : null)
  const result = { grade, ok: false, problem: '', roles: [], left: null, settlement: null }
  try {
    const command = await spawn(helper, ['--specimen', token], {
      budget: BUDGET,
      timeout: TIMEOUT,
      ...(grade === 'group' ? {} : { require: grade }),
    })
    const roles = await readRoles(command)
    const settlement = await command.stop()
    const left = look()
    const problem = problemOf(roles, settlement, left)
    return { ...result, ok: problem === '', problem, roles, settlement, left: left?.length ?? null }
  } catch (error) {
    if (!(error instanceof ProcleashError)) throw error
    return { ...result, problem: error.message }
  } finally {
    // Nothing, unless the test has failed: then it must not stay.
    for (const pid of look() ?? []) kill(pid)
  }
}

async function readRoles(command: Subprocess): Promise<readonly string[]> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of command.stdout ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (ROLES.every((role) => text.includes(`${role}\n`))) break
  }
  return ROLES.filter((role) => text.includes(`${role}\n`))
}

function problemOf(roles: readonly string[], settlement: Settlement, left: readonly number[] | null): string {
  const { outcome, proof, survivors, elapsed } = settlement
  if (roles.length < ROLES.length) return `the tree did not come to stand within ${TIMEOUT} ms`
  if (outcome !== 'empty') return `${survivors.length} processes could not be ended`
  if (proof !== 'subreaper' && proof !== 'cgroup') return `the end was not proved (${proof})`
  if (left !== null && left.length > 0) return `${left.length} processes are left, though the stop said none`
  if (elapsed > BUDGET + PATIENCE)
    return `the stop took ${Math.round(elapsed)} ms with a budget of ${BUDGET} ms`
  return ''
}

/** Living processes that were started with this argument; `null` when /proc can't be read. */
function carriersOf(token: string): readonly number[] | null {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && argumentsOf(name).includes(token))
      .map(Number)
  } catch {
    return null
  }
}

function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
  } catch {
    // Gone since the folder was read.
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone, or not ours to end: the report has said that it is left.
  }
}
