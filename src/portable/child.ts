// The start of a command by the runtime's own child_process.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { StartStep } from '../../bindings/native.js'
import { startError } from '../failure.js'
import type { SpawnPlan } from '../options.js'
import { errnoOf } from './errno-of.js'
import type { Opened } from './files.js'

/** `failed` comes at once or soon after; then there never was a process. */
export type Child = { readonly child: ChildProcess } | { readonly failed: Promise<Error> }

export function startChild(plan: SpawnPlan, id: string, { stdio }: Opened): Child {
  const failure = (error: unknown): Error => startError(failureOf(plan, errnoOf(error)), plan, '')
  try {
    const child = spawn(plan.file, plan.args, {
      argv0: plan.argv0,
      stdio: [...stdio],
      // A session and group of its own. In Windows that would open a console window.
      detached: process.platform !== 'win32',
      windowsHide: true,
      ...user(plan),
      ...(plan.cwd !== '' && { cwd: plan.cwd }),
      ...environment(plan, id),
    })
    const failed = new Promise<Error>((resolve) => child.once('error', (error) => resolve(failure(error))))
    return child.pid === undefined ? { failed } : { child }
  } catch (error) {
    return { failed: Promise.resolve(failure(error)) }
  }
}

/** Each runtime of ours gives the command no further groups then, as procleash does. */
function user({ rights: { options } }: SpawnPlan): { readonly uid?: number; readonly gid?: number } {
  const { uid, gid } = options
  return { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) }
}

/** ENOENT of a working directory looks like ENOENT of the file. */
function failureOf({ cwd }: SpawnPlan, errno: number): { errno: number; step: number; detail: string } {
  if (cwd !== '') {
    if (!existsSync(cwd)) return { errno: -constants.errno.ENOENT, step: StartStep.chdir, detail: '' }
    if (!statSync(cwd).isDirectory()) {
      return { errno: -constants.errno.ENOTDIR, step: StartStep.chdir, detail: '' }
    }
  }
  return { errno, step: StartStep.exec, detail: '' }
}

/** With the mark: the ids of the trees that a process belongs to, outermost first. */
function environment(plan: SpawnPlan, id: string): { readonly env?: NodeJS.ProcessEnv } {
  if (plan.env !== null) return { env: marked(Object.fromEntries(plan.env.map(toEntry)), id) }
  try {
    return { env: marked({ ...process.env }, id) }
  } catch {
    // Deno without --allow-env: the runtime passes on what it has, or refuses.
    return {}
  }
}

function marked(env: NodeJS.ProcessEnv, id: string): NodeJS.ProcessEnv {
  const { PROCLEASH_TREE: outer } = env
  return { ...env, PROCLEASH_TREE: outer === undefined ? id : `${outer}:${id}` }
}

function toEntry(variable: string): [string, string] {
  const at = variable.indexOf('=')
  return [variable.slice(0, at), variable.slice(at + 1)]
}
