// CLOCK_MONOTONIC in every runtime. In Node process.hrtime is that clock; in Bun and Deno it counts from the start of
// the process, and the C library is asked for the difference.

/** In no other runtime, and unknown to the type checker. */
const BUN_FFI = 'bun:ffi'
/** <time.h>, Linux. */
const CLOCK_MONOTONIC = 1

const difference = await differenceToMonotonic()

/** Milliseconds; a double holds a year of them to less than a microsecond. */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6 + difference
}

/** Milliseconds to add to process.hrtime. The quickest of some tries, for anything may come between two readings. */
async function differenceToMonotonic() {
  const read = await monotonicReader()
  if (read === undefined) return 0
  let quickest = { took: Number.POSITIVE_INFINITY, difference: 0 }
  for (let turn = 0; turn < 100; turn++) {
    const before = Number(process.hrtime.bigint()) / 1e6
    const time = read()
    const took = Number(process.hrtime.bigint()) / 1e6 - before
    if (took < quickest.took) quickest = { took, difference: time - (before + took / 2) }
  }
  return quickest.difference
}

/** @returns {Promise<(() => number) | undefined>} */
async function monotonicReader() {
  const { Bun, Deno } = /** @type {any} */ (globalThis)
  const time = new BigInt64Array(2)
  const milliseconds = () => Number(time[0]) * 1000 + Number(time[1]) / 1e6
  if (Bun !== undefined) {
    const { dlopen } = await import(BUN_FFI)
    const { symbols } = dlopen('libc.so.6', { clock_gettime: { args: ['int', 'ptr'], returns: 'int' } })
    return () => {
      symbols.clock_gettime(CLOCK_MONOTONIC, time)
      return milliseconds()
    }
  }
  if (Deno !== undefined) {
    const { symbols } = Deno.dlopen('libc.so.6', {
      clock_gettime: { parameters: ['i32', 'buffer'], result: 'i32' },
    })
    return () => {
      symbols.clock_gettime(CLOCK_MONOTONIC, time)
      return milliseconds()
    }
  }
  return undefined
}
