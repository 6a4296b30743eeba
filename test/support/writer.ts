// A command that writes more than anybody reads.

import { readFileSync } from 'node:fs'
import { waitUntil } from './wait.js'

/** Waits until it has written something and writes no more. Gives the bytes. */
export async function untilHeldUp(pid: number): Promise<number> {
  let last = 0
  let same = 0
  await waitUntil(
    () => {
      const produced = Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1] ?? 0)
      same = produced > 0 && produced === last ? same + 1 : 0
      last = produced
      return same > 20
    },
    10_000,
    'the writer is held up',
  )
  return last
}
