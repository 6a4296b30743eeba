// The sessions of a soak host: several beside each other, each with turns one after the other, each turn with acts.
// They come to a rest when asked to: every session is released, and nothing of theirs is left.

import { setTimeout as pause } from 'node:timers/promises'
import { createOwner } from '../../../dist/src/index.js'
import { acts } from './acts.mjs'

const names = Object.keys(acts)
/** Those that a release may cut off at any moment: they leave nothing but what their owner ends. */
const interruptible = ['bash', 'burst', 'flood', 'streams', 'timeout', 'unread']
const CUT_OFF = ['ERR_PROCLEASH_OWNER_RELEASED', 'EPIPE']
const AT_ONCE = 3
/** Milliseconds for a release on a busy machine. */
const BUDGET = 10_000

/**
 * @param {{ random: import('../../chaos/random.mjs').Random, folder: string, pause: number,
 *   done: (name: string) => void, trouble: (text: string) => void }} options `pause`: milliseconds between two acts, at most.
 */
export function createSessions({ random, folder, pause: gap, done, trouble }) {
  let resting = true
  let number = 0
  let acted = 0
  let running = Promise.resolve()
  const name = () => String(++number)
  // Each act has its turn, in an order by chance: a run of some seconds has seen them all.
  let order = []

  const nextAct = () => {
    if (order.length === 0) order = random.shuffled(names)
    return order.pop()
  }

  const perform = async (stage) => {
    const act = nextAct()
    const expect = (as, what, seen) => {
      if (!as) trouble(`${act}: ${what}: ${brief(seen)}`)
    }
    await acts[act]({ ...stage, expect }).catch((error) => trouble(`${act}: ${textOf(error)}`))
    acted += 1
    done(act)
  }

  /** The user's next word comes while the turn works. What comes of it is nobody's any more. */
  const cutOff = async (stage) => {
    const act = random.pick(interruptible)
    const working = acts[act]({ ...stage, expect() {} }).catch((error) => {
      if (!CUT_OFF.includes(error?.code)) trouble(`${act}, cut off: ${textOf(error)}`)
    })
    await pause(random.int(0, 50))
    await release(stage.turn)
    await working
    done('cut off')
  }

  const takeTurn = async (session) => {
    const turn = session.child(`turn-${name()}`)
    const stage = { session, turn, random, folder, name }
    for (let count = random.int(1, 4); count > 0 && !resting; count -= 1) {
      await perform(stage)
      await pause(random.int(0, gap))
    }
    if (random.chance(0.3) && !resting) await cutOff(stage)
    else await release(turn)
  }

  const release = async (owner) => {
    const { outcome, trees } = await owner.release({ budget: BUDGET })
    if (outcome !== 'empty') trouble(`release of ${owner.id}: ${brief(trees)}`)
  }

  const openSessions = async () => {
    while (!resting) {
      const session = createOwner(`session-${name()}`)
      for (let count = random.int(2, 6); count > 0 && !resting; count -= 1) await takeTurn(session)
      await release(session)
    }
  }

  return {
    begin() {
      resting = false
      acted = 0
      running = Promise.all(Array.from({ length: AT_ONCE }, openSessions)).then(() => {})
    },
    /** Not before some acts were done. Resolves when nothing of the sessions is left. */
    async rest(least) {
      while (acted < least) await pause(20)
      resting = true
      await running
    },
  }
}

/** @param {unknown} error */
function textOf(error) {
  return error instanceof Error ? String(error.stack).slice(0, 800) : String(error)
}

/** A word about what was seen, of a bounded length: it goes into a line. */
export function brief(seen) {
  return String(JSON.stringify(seen)).slice(0, 400)
}
