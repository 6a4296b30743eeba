// The native witness of ends: watcher/watch.c.

import { startProgram } from './lines.mjs'
import { compiled } from './native.mjs'

/** @typedef {ReturnType<typeof startWatcher>} Watcher */

/** Milliseconds after which what is still alive counts as left. */
const PATIENCE = 10_000

export function startWatcher() {
  const program = startProgram(compiled('watcher/watch.c'), [])
  return {
    /**
     * From here on the ends are seen.
     *
     * @param {readonly number[]} pids
     */
    async watch(pids) {
      const count = Number(word(await program.ask(`watch ${pids.join(' ')}`), 1))
      if (count !== pids.length)
        throw new Error(`${pids.length - count} of ${pids.length} processes ended early`)
    },
    /** When the last one ended, in milliseconds of CLOCK_MONOTONIC, and how many are left. */
    async ends() {
      const answer = await program.ask(`await ${PATIENCE}`)
      return { at: Number(word(answer, 1)) / 1e6, left: Number(word(answer, 2)) }
    },
    end: program.end,
  }
}

/**
 * @param {string} line
 * @param {number} index
 */
function word(line, index) {
  return line.split(' ')[index] ?? ''
}
