// What Deno was not allowed to do and procleash would do if it were. Asks, and never makes Deno prompt.

import type { MissingPermission } from './types.js'

interface Permissions {
  querySync(query: { readonly name: string; readonly variable?: string }): { readonly state: string }
}

const uses: readonly (MissingPermission & { readonly name: string; readonly variable?: string })[] = [
  {
    flag: '--allow-env=PROCLEASH_HELPER',
    name: 'env',
    variable: 'PROCLEASH_HELPER',
    effect: 'the variable is not looked at',
  },
  { flag: '--allow-read', name: 'read', effect: 'tail() reads no log, and doctor does not look at /proc' },
]

/** Empty in Node and Bun. That `--allow-ffi` is missing shows as a {@link NativeMissingError}. */
export function missingPermissions(): readonly MissingPermission[] {
  const { Deno: deno } = globalThis as { readonly Deno?: { readonly permissions: Permissions } }
  if (deno === undefined) return []
  return uses
    .filter(({ name, variable }) => {
      const query = variable === undefined ? { name } : { name, variable }
      return deno.permissions.querySync(query).state !== 'granted'
    })
    .map(({ flag, effect }) => ({ flag, effect }))
}
