// What Deno was not allowed to do and procleash would do if it were. Asks, and never makes Deno prompt.

import type { MissingPermission } from './types.js'

interface Query {
  readonly name: string
  readonly variable?: string
}

interface Deno {
  readonly permissions: { querySync(query: Query): { readonly state: string } }
}

const uses: readonly (MissingPermission & { readonly query: Query })[] = [
  ...['PROCLEASH_HELPER', 'PROCLEASH_GRADE'].map((variable) => ({
    flag: `--allow-env=${variable}`,
    query: { name: 'env', variable },
    effect: 'the variable is not looked at',
  })),
  {
    flag: '--allow-read',
    query: { name: 'read' },
    effect: 'tail() reads no log, and doctor does not look at /proc',
  },
]

/** Whether Deno allows it; the other runtimes allow everything. */
export function isGranted(query: Query): boolean {
  const { Deno: deno } = globalThis as { readonly Deno?: Deno }
  return deno === undefined || deno.permissions.querySync(query).state === 'granted'
}

/** Empty in Node and Bun. That `--allow-ffi` is missing shows as a {@link NativeMissingError}. */
export function missingPermissions(): readonly MissingPermission[] {
  return uses.filter(({ query }) => !isGranted(query)).map(({ flag, effect }) => ({ flag, effect }))
}
