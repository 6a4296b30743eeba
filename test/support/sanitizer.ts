// Whether native code is built or run for finding faults in it: see scripts/sanitize.mjs. It is larger and slower then, and
// so is a host that forks with a sanitizer's memory. Such a run is about memory and threads; time is measured without.

export const sanitizer = process.env.PROCLEASH_TEST_SANITIZER

/**
 * What runs a runtime with the sanitizer's library, which has to be there before the addon. In the runtime alone: neither
 * in what starts it nor in what it starts.
 */
export function withSanitizer(
  command: string,
  args: readonly string[],
): readonly [string, readonly string[]] {
  const preload = process.env.PROCLEASH_TEST_PRELOAD
  if (preload === undefined) return [command, args]
  const forget = 'delete process.env.LD_PRELOAD; delete process.env.NODE_OPTIONS'
  const options = `--import=data:text/javascript,${encodeURIComponent(forget)}`
  return ['env', [`LD_PRELOAD=${preload}`, `NODE_OPTIONS=${options}`, command, ...args]]
}

/** By how much every deadline is longer. */
export const PATIENCE = sanitizer === undefined ? 1 : 5
