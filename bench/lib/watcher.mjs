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
    /**
     * When the last one ended, in milliseconds of CLOCK_MONOTONIC, and how many are left.
     *
     * @param {number} [patience] Milliseconds.
     */
    async ends(patience = PATIENCE) {
      const answer = await program.ask(`await ${patience}`)
      return { at: Number(word(answer, 1)) / 1e6, left: Number(word(answer, 2)) }
    },
    /**
     * Of a tree whose processes write their pids to the FIFO. Made now, so that they can.
     *
     * @param {string} fifo
     */
    async open(fifo) {
      await program.ask(`open ${fifo}`)
    },
    /**
     * From here on the ends are seen.
     *
     * @param {number} size
     */
    async gather(size) {
      const count = Number(word(await program.ask(`gather ${size} ${PATIENCE}`), 1))
      if (count !== size) throw new Error(`a tree of ${count} processes stands, not ${size}`)
    },
    /** Ends a running `ends()`. */
    enough() {
      program.say('enough')
    },
    /** How many of the tree /proc shows. */
    async left() {
      return Number(word(await program.ask('left'), 1))
    },
    /** SIGKILL to what is left. */
    async kill() {
      await program.ask('kill')
    },
    /** Forgets the FIFO. */
    async close() {
      await program.ask('close')
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
