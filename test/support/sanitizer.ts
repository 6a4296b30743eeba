// Whether native code is built or run for finding faults in it, see scripts/sanitize.mjs: it is slower then, and larger.

export const sanitizer = process.env.PROCLEASH_TEST_SANITIZER
