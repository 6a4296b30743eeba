// Whether native code is built or run for finding faults in it: see scripts/sanitize.mjs. It is larger and slower then, and
// so is a host that forks with a sanitizer's memory. Such a run is about memory and threads; time is measured without.

export const sanitizer = process.env.PROCLEASH_TEST_SANITIZER

/** By how much every deadline is longer. */
export const PATIENCE = sanitizer === undefined ? 1 : 5
