// A whole fault run: one run without a fault for each scenario, which counts, then one for each fault.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildFaults } from './build.mjs'
import { openJudge } from './judge.mjs'
import { faultName, faultsFor } from './plan.mjs'

/**
 * @typedef {object} Tally
 * @property {string} scenario
 * @property {number} planned
 * @property {number} runs
 * @property {number} missed Runs whose fault was not reached: another order of events.
 * @property {Map<string, number>} endings
 * @property {{ fault: string, complaints: string[] }[]} failures
 */

/** A host takes so many faults one after the other: what one of them breaks, a later run may show. */
const FAULTS_PER_HOST = 20

/**
 * @param {object} options
 * @param {string} options.scenario
 * @param {number} options.lanes Hosts at once.
 * @param {readonly import('./page.mjs').Fault[]} [options.faults] All that the scenario has.
 * @param {(fault: import('./page.mjs').Fault) => boolean} [options.only]
 * @param {(tally: Tally) => void} [options.progress] After each run.
 * @returns {Promise<Tally>}
 */
export async function runFaults({ scenario, lanes, faults, only = () => true, progress = () => {} }) {
  await buildFaults()
  const folder = mkdtempSync(join(tmpdir(), 'procleash-faults-'))
  try {
    /** @type {Tally} */
    const tally = { scenario, planned: 0, runs: 0, missed: 0, endings: new Map(), failures: [] }
    const plain = await runPlain(tally, folder)
    const queue = (faults ?? faultsFor(plain.counts.seen)).filter(only)
    tally.planned = queue.length
    const lane = async () => {
      while (queue.length > 0) await runHost({ queue, tally, folder, expected: plain.descriptors, progress })
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return tally
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {Tally} tally
 * @param {string} folder
 */
async function runPlain(tally, folder) {
  const judge = openJudge(folder)
  const plain = await judge.run(tally.scenario, undefined, undefined)
  const complaints = [...plain.complaints, ...(await judge.close())]
  if (complaints.length > 0) tally.failures.push({ fault: 'none', complaints })
  return plain
}

/**
 * @param {object} stage
 * @param {import('./page.mjs').Fault[]} stage.queue
 * @param {Tally} stage.tally
 * @param {string} stage.folder
 * @param {Map<string, number>} stage.expected
 * @param {(tally: Tally) => void} stage.progress
 */
async function runHost({ queue, tally, folder, expected, progress }) {
  const judge = openJudge(folder)
  /** @type {string[]} */
  const faults = []
  let broken = false
  while (faults.length < FAULTS_PER_HOST && !broken) {
    const fault = queue[0]
    if (fault === undefined || (faults.length > 0 && needsNewHost(tally.scenario, fault))) break
    queue.shift()
    faults.push(faultName(fault))
    const verdict = await judge.run(tally.scenario, fault, expected)
    count(tally, fault, verdict)
    progress(tally)
    broken = verdict.complaints.length > 0 || needsNewHost(tally.scenario, fault)
  }
  const complaints = await judge.close()
  if (complaints.length > 0) tally.failures.push({ fault: faults.join(' '), complaints })
}

/**
 * A supervisor starts but once, and so does the addon.
 *
 * @param {string} scenario
 * @param {import('./page.mjs').Fault} fault
 */
function needsNewHost(scenario, { role }) {
  return scenario === 'host-death' || (scenario === 'start' && role !== 'keeper' && role !== 'child')
}

/**
 * @param {Tally} tally
 * @param {import('./page.mjs').Fault} fault
 * @param {import('./judge.mjs').Verdict} verdict
 */
function count(tally, fault, { complaints, ending, reached }) {
  tally.runs += 1
  if (!reached) tally.missed += 1
  tally.endings.set(ending, (tally.endings.get(ending) ?? 0) + 1)
  if (complaints.length > 0) tally.failures.push({ fault: faultName(fault), complaints })
}
