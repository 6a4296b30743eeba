// Whether the trees of this thread are supervised without native code, and why. Everybody asks here, so that no tree
// is started by one way and counted by the other.

import loader from '../../bindings/load.cjs'

interface DenoPermissions {
  querySync(query: { readonly name: string; readonly path?: string; readonly variable?: string }): {
    readonly state: string
  }
}

const { Deno: deno } = globalThis as { readonly Deno?: { readonly permissions: DenoPermissions } }

let reason: string | null | undefined

/**
 * `null`: native code is used. A native addon that is broken or missing is no reason: that is told as an error, not
 * made up for by a weaker promise.
 */
export function portableReason(): string | null {
  reason ??= findReason()
  return reason
}

function findReason(): string | null {
  if (isForced()) return 'PROCLEASH_GRADE is group'
  if (process.platform !== 'linux') return `there is no native code for ${process.platform}`
  return deno === undefined ? null : ffiReason(deno.permissions)
}

function isForced(): boolean {
  // Deno prompts or throws on a variable that it may not read: there, ask first.
  if (deno?.permissions.querySync({ name: 'env', variable: 'PROCLEASH_GRADE' }).state === 'granted') {
    return process.env.PROCLEASH_GRADE === 'group'
  }
  return deno === undefined && process.env.PROCLEASH_GRADE === 'group'
}

/** Loading is tried first: where somebody sits at a terminal, Deno asks them. */
function ffiReason(permissions: DenoPermissions): string | null {
  if (permissions.querySync({ name: 'ffi' }).state === 'granted') return null
  const loaded = loader.load()
  if (loaded.native !== null) return null
  const isRefused = loaded.attempts.some(
    ({ path }) => permissions.querySync({ name: 'ffi', path }).state !== 'granted',
  )
  return isRefused ? 'Deno was started without --allow-ffi' : null
}
