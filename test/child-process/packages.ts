// Hosts that import packages by their names, this one among them.

import type { Runtime } from '../support/runtimes.js'

/** Without a configuration, Deno looks into node_modules only when told to. */
export function withPackages(runtime: Runtime): Runtime {
  if (runtime.name !== 'deno') return runtime
  return { ...runtime, args: [...runtime.args, '--node-modules-dir=manual'] }
}
