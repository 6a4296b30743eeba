// What Deno must allow before anything is started without native code: a command that could not be stopped is none.

import { constants } from 'node:os'
import { SpawnError } from '../errors.js'

interface Permissions {
  querySync(query: { readonly name: string }): { readonly state: string }
}

/** Deno lets a process be signalled only with all of `--allow-run`; with a list, that needs more. */
export function checkPermissions(file: string): void {
  const { Deno: deno } = globalThis as { readonly Deno?: { readonly permissions: Permissions } }
  if (deno === undefined || deno.permissions.querySync({ name: 'run' }).state === 'granted') return
  throw new SpawnError(`Could not start ${file}: Deno would not let it be stopped`, {
    code: 'EACCES',
    value: file,
    fix: 'Give Deno --allow-ffi, or --allow-run without a list',
    errno: -constants.errno.EACCES,
    syscall: 'kill',
  })
}
