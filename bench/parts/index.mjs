// The parts of the benchmark, in their order.

import { cost } from './cost.mjs'
import { escalation } from './escalation.mjs'
import { hostDeath } from './host-death.mjs'
import { interrupt } from './interrupt.mjs'
import { spawn } from './spawn.mjs'
import { streams } from './streams.mjs'
import { teardown } from './teardown.mjs'

/** @typedef {import('../../scripts/runtimes.mjs').Runtime} Runtime */

/**
 * @typedef {object} Choice
 * @property {Runtime} main The runtime in which everything is measured.
 * @property {readonly Runtime[]} each All of them, `main` too.
 * @property {boolean} quick
 */

/** @type {Record<string, (choice: Choice) => import('../lib/run.mjs').Group[]>} */
export const parts = { teardown, escalation, interrupt, 'host-death': hostDeath, spawn, streams, cost }
