// A run: a host, a scenario, at most one fault; then what the host was told is compared with what /proc shows. Gives the
// complaints, none where all was well.

import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { carriersOf, describe, end, isAlive } from '../chaos/look.mjs'
import { heldAtRest } from './descriptors.mjs'
import { startHost } from './host-process.mjs'
import { kinOf, strayOf } from './kin.mjs'
import { endingOf, liesIn } from './lies.mjs'
import { createPage, disarm, readPage, writePage } from './page.mjs'
import { PATIENCE, until, untilNone, within } from './wait.mjs'

/** Milliseconds until a host has said its word: each of its waits has a bound of its own below that. */
const BOUND = 60_000
/** Milliseconds for which a shortage outlasts the death of its host. */
const SHORTAGE = 2000

/**
 * @typedef {object} Verdict
 * @property {string[]} complaints
 * @property {string} ending What the run ended in: `error CODE`, or `outcome reason proof`.
 * @property {boolean} reached Whether the call of the fault was made.
 * @property {import('./page.mjs').Counts} counts
 * @property {Map<string, number>} descriptors What host and supervisor held at the end.
 */

/**
 * @typedef {object} Judge A host, and who looks at it.
 * @property {(scenario: string, fault: import('./page.mjs').Fault | undefined, expected: Map<string, number> | undefined) => Promise<Verdict>} run
 *   `expected`: the descriptors of a run without a fault. After complaints, or when the host was killed, there is no next run.
 * @property {() => Promise<string[]>} close Complaints about the host's end and what it has left.
 */

/**
 * @typedef {import('./page.mjs').Fault} Fault
 * @typedef {import('./host-process.mjs').Message} Message
 */

/**
 * @param {string} folder
 * @param {number} [patience] Milliseconds until what was told to go is gone.
 * @returns {Judge}
 */
export function openJudge(folder, patience = PATIENCE) {
  const mark = randomUUID()
  const page = join(folder, `${mark}.page`)
  createPage(page)
  const host = startHost(page, mark)
  let killed = false

  /**
   * What a living host was told, and what is there.
   *
   * @param {string} scenario
   * @param {Message} message
   * @param {Fault | undefined} fault
   */
  const judgeTold = async (scenario, message, fault) => {
    const complaints = [...liesIn(scenario, message, fault), ...(await strayOf(host.pid))]
    // What was named as a survivor, or could not be seen, is ended as soon as the fault is lifted.
    const living = await untilNone(() => (message.members ?? []).filter(isAlive), patience)
    if (living.length > 0) complaints.push(`live on: ${living.map(({ pid }) => pid).join(', ')}`)
    return complaints
  }

  /** The tree stands: its host is killed. @type {(message: Message, fault: Fault | undefined) => Promise<string[]>} */
  const judgeDeath = async ({ members = [] }, fault) => {
    killed = true
    const everybody = [...members, ...kinOf(host.pid)]
    host.kill()
    // Without memory nobody can list whom there is to kill. Such a keeper goes on trying.
    if (fault?.call === 'memory') {
      await until(() => !everybody.some(isAlive), SHORTAGE)
      disarm(page)
    }
    await until(() => !everybody.some(isAlive))
    const left = await untilNone(() => carriersOf(mark))
    return left.length > 0 ? [`left by the dead host: ${left.map(describe).join('; ')}`] : []
  }

  return {
    async run(scenario, fault, expected) {
      writePage(page, fault)
      host.ask(scenario)
      const message = await within(host.word(), BOUND, () => undefined)
      /** @type {Pick<Verdict, 'complaints' | 'ending' | 'descriptors'>} */
      const seen = { complaints: [], ending: '', descriptors: new Map() }
      if (message?.event === 'standing') {
        seen.ending = 'host killed'
        seen.complaints = await judgeDeath(message, fault)
      } else if (message?.event === 'told') {
        seen.ending = endingOf(message)
        seen.complaints = await judgeTold(scenario, message, fault)
        const { held, differs } = await heldAtRest(host.pid, fault, expected)
        seen.descriptors = held
        if (differs.length > 0)
          seen.complaints.push(`descriptors, beside a run without a fault: ${differs.join(', ')}`)
      } else
        seen.complaints.push(
          message === undefined ? 'the host says nothing' : `the host ended: ${JSON.stringify(message)}`,
        )
      const counts = readPage(page)
      return { ...seen, reached: counts.fired > 0, counts }
    },
    async close() {
      /** @type {string[]} */
      const complaints = []
      disarm(page)
      host.closeInput()
      const exit = await within(host.ended, patience, () => undefined)
      if (exit === undefined) complaints.push('the host does not end')
      else if (exit !== '0' && !killed) complaints.push(`the host ended with ${exit}: ${host.stderr()}`)
      host.kill()
      await host.ended
      const left = await untilNone(() => carriersOf(mark), patience)
      if (left.length > 0) complaints.push(`left: ${left.map(describe).join('; ')}`)
      for (const each of left) end(each)
      rmSync(page)
      return complaints
    },
  }
}
