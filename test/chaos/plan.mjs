// What happens in a round: decided by the seed, the runtime and the number of the round alone.

import { createRandom } from './random.mjs'
import { SHAPES } from './shapes.mjs'

/**
 * @typedef {object} PlannedTree
 * @property {number} index
 * @property {string} shape
 * @property {string} [script] In the place of a shape: see test/properties/script.mjs.
 * @property {string | null} owner Its id; null: nobody's.
 * @property {string} kind
 * @property {'main' | 'worker'} thread
 * @property {'spawn' | 'run'} way
 * @property {number} delay Milliseconds before it is asked for.
 * @property {number} budget
 * @property {number | null} timeout
 * @property {'stop' | 'keep'} leftovers
 * @property {'read' | 'unread' | 'ignore'} output
 * @property {boolean} [leased] An IoLease covers it.
 *
 * @typedef {object} PlannedOwner
 * @property {string} id
 * @property {string | null} parent
 *
 * @typedef {{ how: 'stop', trees: number[], budget: number | null }
 *   | { how: 'abort', trees: number[] }
 *   | { how: 'revoke', trees: number[] }
 *   | { how: 'kill', trees: number[], signal: NodeJS.Signals }
 *   | { how: 'release', owner: string, budget: number | null }
 *   | { how: 'stop owner', owner: string, kind: string | null }} Action What a host does to some of its trees.
 *
 * @typedef {'host' | 'supervisor' | 'keeper'} Part
 *
 * @typedef {{ type: 'signal', signal: NodeJS.Signals }
 *   | { type: 'ending', how: 'exit' | 'throw' | 'rejection' | 'abort' | 'natural' | 'execve' }
 *   | { type: 'loss', parts: Part[], keepers: number, chosen: number }
 *   | { type: 'action', action: Action }
 *   | { type: 'timeout' }
 *   | { type: 'worker', how: 'terminate' | 'exit' | 'throw' | 'close' }
 *   | { type: 'blocked', how: 'busy' | 'atomics', action: Action | null }} Fault
 *
 * @typedef {object} Round
 * @property {number} number
 * @property {string} title The fault, in words.
 * @property {PlannedTree[]} trees
 * @property {PlannedOwner[]} owners
 * @property {{ when: 'early' | 'standing', delay: number }} moment
 * @property {{ action: Action, lead: number } | null} before A stop that is running when the fault comes.
 * @property {Fault} fault
 */

const MOST_TREES = 40
const BUDGETS = [60, 100, 150, 200, 300, 400]
const KINDS = ['bash', 'subagent', 'workflow', 'server']

/** @type {readonly (readonly [number, string])[]} */
const FAULTS = [
  [9, 'SIGKILL'],
  [2, 'SIGTERM'],
  [2, 'SIGINT'],
  [2, 'SIGHUP'],
  [4, 'exit'],
  [3, 'throw'],
  [2, 'rejection'],
  [2, 'abort()'],
  [3, 'natural'],
  [2, 'execve'],
  [7, 'keeper'],
  [6, 'supervisor'],
  [5, 'keeper+supervisor'],
  [4, 'host+keeper'],
  [4, 'host+supervisor'],
  [8, 'stop'],
  [7, 'release'],
  [4, 'stop owner'],
  [6, 'abort'],
  [6, 'timeout'],
  [4, 'worker terminate'],
  [4, 'worker end'],
  [5, 'blocked'],
]

/** @param {Round} round @returns {boolean} Whether the host lives on. */
export function hostSurvives({ fault }) {
  if (fault.type === 'signal' || fault.type === 'ending') return false
  return fault.type !== 'loss' || !fault.parts.includes('host')
}

/**
 * @param {string} seed
 * @param {string} runtime
 * @param {number} number
 * @param {{ execve: boolean }} can
 * @returns {Round}
 */
export function planRound(seed, runtime, number, can) {
  const random = createRandom(`${seed}/${runtime}/${number}`)
  const choice = random.weighted(FAULTS)
  const name = choice === 'execve' && !can.execve ? 'exit' : choice
  const owners = planOwners(random, number)
  const trees = planTrees(random, owners, name)
  const fault = planFault(random, name, trees, owners)
  const before = random.chance(0.35)
    ? {
        action: planAction(random, random.pick(['stop', 'release', 'abort']), trees, owners),
        lead: random.few(0, 60),
      }
    : null
  /** @type {Round['moment']} */
  const moment = random.chance(0.4)
    ? { when: 'early', delay: random.few(0, 60) }
    : { when: 'standing', delay: random.few(0, 120) }
  const title = before === null ? name : `${name}, during ${before.action.how}`
  return { number, title, trees, owners, moment, before, fault }
}

/**
 * Sessions with turns and calls, as an agent runtime has them.
 *
 * @param {import('./random.mjs').Random} random
 * @param {number} number
 */
function planOwners(random, number) {
  /** @type {PlannedOwner[]} */
  const owners = []
  const sessions = random.int(1, 3)
  for (let session = 0; session < sessions; session += 1) {
    const id = `session-${number}-${session}`
    owners.push({ id, parent: null })
    const turns = random.int(0, 2)
    for (let turn = 0; turn < turns; turn += 1) {
      const turnId = `${id}/turn-${turn}`
      owners.push({ id: turnId, parent: id })
      if (random.chance(0.4)) owners.push({ id: `${turnId}/call`, parent: turnId })
    }
  }
  return owners
}

/**
 * @param {import('./random.mjs').Random} random
 * @param {PlannedOwner[]} owners
 * @param {string} fault
 */
function planTrees(random, owners, fault) {
  const count = random.few(1, MOST_TREES)
  const workerShare = fault.startsWith('worker') ? 0.5 : random.pick([0, 0, 0, 0.3])
  const timeoutShare = fault === 'timeout' || fault === 'blocked' ? 0.6 : 0.06
  /** @type {Map<string, number>} */
  const used = new Map()
  /** @type {PlannedTree[]} */
  const trees = []
  for (let index = 0; index < count; index += 1) {
    const free = Object.entries(SHAPES).filter(([name, { most }]) => (used.get(name) ?? 0) < most)
    const shape = random.weighted(free.map(([name, { weight }]) => /** @type {const} */ ([weight, name])))
    used.set(shape, (used.get(shape) ?? 0) + 1)
    const way = random.chance(0.12) ? 'run' : 'spawn'
    const output = SHAPES[shape]?.output ?? random.pick(['read', 'unread', 'ignore'])
    trees.push({
      index,
      shape,
      owner: random.chance(0.75) ? random.pick(owners).id : null,
      kind: random.pick(KINDS),
      thread: random.chance(workerShare) ? 'worker' : 'main',
      way: output === 'unread' ? 'spawn' : way,
      delay: random.chance(0.15) ? random.int(1, 40) : 0,
      budget: random.pick(BUDGETS),
      timeout: random.chance(timeoutShare) ? random.int(20, 250) : null,
      leftovers: random.chance(0.3) ? 'keep' : 'stop',
      output,
    })
  }
  if (workerShare > 0 && fault.startsWith('worker') && trees[0] !== undefined) trees[0].thread = 'worker'
  return trees.map((tree) => {
    // Reads and runs in progress hold a loop that would otherwise end.
    const leaves = fault === 'natural' || (fault === 'worker end' && tree.thread === 'worker')
    return {
      ...tree,
      output: leaves && tree.output === 'read' ? 'unread' : tree.output,
      way: leaves ? 'spawn' : tree.way,
      // A run without its result has nothing to keep by.
      leftovers: tree.way === 'run' ? 'stop' : tree.leftovers,
      // An owner is of the thread that made it.
      owner: tree.thread === 'worker' ? null : tree.owner,
    }
  })
}

/**
 * @param {import('./random.mjs').Random} random
 * @param {string} name
 * @param {PlannedTree[]} trees
 * @param {PlannedOwner[]} owners
 * @returns {Fault}
 */
function planFault(random, name, trees, owners) {
  switch (name) {
    case 'SIGKILL':
    case 'SIGTERM':
    case 'SIGINT':
    case 'SIGHUP':
      return { type: 'signal', signal: name }
    case 'exit':
    case 'throw':
    case 'rejection':
    case 'natural':
    case 'execve':
      return { type: 'ending', how: name }
    case 'abort()':
      return { type: 'ending', how: 'abort' }
    case 'timeout':
      return { type: 'timeout' }
    case 'worker terminate':
      return { type: 'worker', how: 'terminate' }
    case 'worker end':
      return { type: 'worker', how: random.pick(['exit', 'throw', 'close']) }
    case 'blocked': {
      const action = random.chance(0.7) ? planAction(random, 'stop', trees, owners) : null
      return { type: 'blocked', how: random.pick(['busy', 'atomics']), action }
    }
    case 'stop':
    case 'release':
    case 'stop owner':
    case 'abort':
      return { type: 'action', action: planAction(random, name, trees, owners) }
    default: {
      const parts = random.shuffled(/** @type {Part[]} */ (name.split('+')))
      return { type: 'loss', parts, keepers: random.pick([0.001, 0.3, 1]), chosen: random.next() }
    }
  }
}

/**
 * @param {import('./random.mjs').Random} random
 * @param {'stop' | 'release' | 'stop owner' | 'abort'} how
 * @param {PlannedTree[]} trees
 * @param {PlannedOwner[]} owners
 * @returns {Action}
 */
function planAction(random, how, trees, owners) {
  const here = trees.filter(({ thread }) => thread === 'main')
  const chosen = (/** @type {PlannedTree[]} */ list) =>
    random.some(list, random.pick([0.2, 0.5, 1])).map(({ index }) => index)
  switch (how) {
    case 'release':
      return { how, owner: random.pick(owners).id, budget: random.pick(BUDGETS) }
    case 'stop owner':
      return { how, owner: random.pick(owners).id, kind: random.chance(0.6) ? random.pick(KINDS) : null }
    case 'abort':
      return { how, trees: chosen(here) }
    default:
      return { how, trees: chosen(here.filter(({ way }) => way === 'spawn')), budget: random.pick(BUDGETS) }
  }
}

/**
 * The trees that an action is about.
 *
 * @param {Round} round
 * @param {Action} action
 * @returns {number[]}
 */
export function targetsOf({ trees, owners }, action) {
  if ('trees' in action) return action.trees
  const below = new Set([action.owner])
  // Parents stand before their children.
  for (const { id, parent } of owners) if (parent !== null && below.has(parent)) below.add(id)
  const kind = action.how === 'stop owner' ? action.kind : null
  return trees
    .filter(({ owner }) => owner !== null && below.has(owner))
    .filter((tree) => kind === null || tree.kind === kind)
    .map(({ index }) => index)
}
