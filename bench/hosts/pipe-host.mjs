// Streams: many bytes from one or several commands, and one line there and back.

import { writeFileSync } from 'node:fs'
import { statusKilobytes } from '../lib/proc.mjs'
import { now } from './clock.mjs'
import { openers } from './echoes.mjs'
import { readers } from './readers.mjs'
import { serve } from './serve.mjs'

/** @type {import('./echoes.mjs').Echo[]} */
let echoes = []

await serve({
  /**
   * `rate`: GB a second of all together; `memory`: MB, the most that this process had meanwhile.
   *
   * @param {{ reader: string, bytes: number, width: number }} details
   */
  async read({ reader, bytes, width }) {
    const read = readers[reader]
    if (read === undefined) throw new Error(`there is no reader ${reader}`)
    resetPeak()
    const before = now()
    const lines = Array.from({ length: width }, () => read('head', ['-c', String(bytes), '/dev/zero']))
    const counts = await Promise.all(lines)
    const elapsed = now() - before
    if (counts.some((count) => count !== bytes)) throw new Error(`${counts} bytes came, not ${bytes} each`)
    return { rate: (bytes * width) / elapsed / 1e6, memory: statusKilobytes('self', 'VmHWM') / 1000 }
  },

  /** @param {{ by: string, width: number }} details */
  async openEchoes({ by, width }) {
    const open = openers[by]
    if (open === undefined) throw new Error(`nothing is started by ${by}`)
    echoes = await Promise.all(Array.from({ length: width }, open))
  },

  /** A line to each command at once, and back. `trip`: milliseconds, the median; `last`: until all were back. */
  async echo() {
    const before = now()
    const trips = await Promise.all(
      echoes.map(async (echo) => {
        await echo.trip()
        return now() - before
      }),
    )
    trips.sort((a, b) => a - b)
    return { trip: trips[Math.floor(trips.length / 2)], last: trips.at(-1) }
  },

  async closeEchoes() {
    await Promise.all(echoes.map((echo) => echo.close()))
    echoes = []
  },
})

/** proc_pid_clear_refs(5): 5 sets VmHWM back to what is resident now. */
function resetPeak() {
  writeFileSync('/proc/self/clear_refs', '5')
}
