// Random rounds for fast-check: scripts, what is done to them, and when.

import fc from 'fast-check'
import { PATIENT } from './judge.mjs'
import { commandMayBecomeRoot, endOf, mayBecomeRoot, standingOf, wordsOf } from './script.mjs'

/**
 * @typedef {import('../chaos/plan.mjs').Round} Round
 * @typedef {import('../chaos/plan.mjs').Action} Action
 * @typedef {import('../chaos/plan.mjs').Fault} Fault
 */

const MOST_PROCESSES = 40
const MOST_WORDS = 200
const OWNERS = [
  { id: 'session', parent: null },
  { id: 'session/turn', parent: 'session' },
  { id: 'other', parent: null },
]
const owner = fc.constantFrom(...OWNERS.map(({ id }) => id))
const SHORTEST = 60
const budget = fc.constantFrom(SHORTEST, 100, 200, 400)
const kind = fc.constantFrom('bash', 'server')

/** @param {string} word @param {fc.Arbitrary<string>} steps */
const block = (word, steps) => steps.map((text) => (text === '' ? `${word} { }` : `${word} { ${text} }`))

/** @param {string} word @param {number} least @param {number} most */
const numbered = (word, least, most) =>
  fc.integer({ min: least, max: most }).map((number) => `${word} ${number}`)

const simple = fc.constantFrom(
  'ignore',
  'setsid',
  'write',
  'close',
  'block',
  'group',
  'exec',
  'bare',
  'suspend',
  'subreaper',
  'user',
  'root',
)
const ending = fc.oneof(
  { weight: 2, arbitrary: numbered('exit', 0, 5) },
  { weight: 1, arbitrary: fc.constantFrom('die 9', 'die 10', 'die 13', 'die 15') },
)

/** Steps of a process; `depth`: how many levels of blocks they may have. @type {(depth: number) => fc.Arbitrary<string>} */
const steps = (depth) =>
  fc
    .tuple(
      fc.array(depth === 0 ? simple : step(depth), { maxLength: 4 }),
      fc.option(ending, { freq: 4, nil: undefined }),
    )
    .map(([all, end]) => [...all, ...(end === undefined ? [] : [end])].join(' '))

/** @param {number} depth @returns {fc.Arbitrary<string>} */
const step = (depth) => {
  const below = steps(depth - 1)
  return fc.oneof(
    { weight: 8, arbitrary: simple },
    { weight: 5, arbitrary: block('fork', below) },
    { weight: 3, arbitrary: block('daemon', below) },
    { weight: 1, arbitrary: block('sibling', below) },
    { weight: 2, arbitrary: block('trap', below) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.integer({ min: 2, max: 5 }), below).map(([n, text]) => `times ${n} { ${text} }`),
    },
    { weight: 1, arbitrary: numbered('wait', 1, 40) },
  )
}

const script = steps(3).filter(
  (text) =>
    standingOf(text).births <= MOST_PROCESSES &&
    wordsOf(text).length <= MOST_WORDS &&
    // Where nobody can end the command, its end is not told.
    !commandMayBecomeRoot(text),
)

const tree = fc
  .record({
    script,
    owner: fc.option(owner, { nil: null }),
    kind,
    way: fc.constantFrom(/** @type {const} */ ('spawn'), 'spawn', 'spawn', 'run'),
    delay: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }) },
    ),
    budget,
    timeout: fc.option(fc.integer({ min: 20, max: 250 }), { freq: 7, nil: null }),
    leftovers: fc.constantFrom(/** @type {const} */ ('stop'), 'keep'),
    output: fc.constantFrom(/** @type {const} */ ('read'), 'unread', 'ignore'),
  })
  .map((planned) => ({
    ...planned,
    shape: 'scripted',
    thread: /** @type {const} */ ('main'),
    leftovers: planned.way === 'run' ? /** @type {const} */ ('stop') : planned.leftovers,
    output:
      planned.way === 'run' && planned.output === 'unread' ? /** @type {const} */ ('read') : planned.output,
  }))

/** Numbers of trees, taken modulo how many there are. */
const some = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 4 })
const named = fc.option(budget, { nil: null })

/** @type {fc.Arbitrary<Action>} */
const action = fc.oneof(
  fc.record({ how: fc.constant(/** @type {const} */ ('stop')), trees: some, budget: named }),
  fc.record({ how: fc.constant(/** @type {const} */ ('abort')), trees: some }),
  fc.record({ how: fc.constant(/** @type {const} */ ('revoke')), trees: some }),
  fc.record({ how: fc.constant(/** @type {const} */ ('release')), owner, budget: named }),
  fc.record({
    how: fc.constant(/** @type {const} */ ('stop owner')),
    owner,
    kind: fc.option(kind, { nil: null }),
  }),
  fc.record({
    how: fc.constant(/** @type {const} */ ('kill')),
    trees: some,
    signal: fc.constantFrom(.../** @type {const} */ (['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGUSR1'])),
  }),
)

/** @param {...import('../chaos/plan.mjs').Part} parts */
const loss = (...parts) =>
  fc.record({
    type: fc.constant(/** @type {const} */ ('loss')),
    parts: fc.constant(parts),
    keepers: fc.constantFrom(1, 0.001, 0.3),
    chosen: fc.constantFrom(0, 0.3, 0.6),
  })

/** @type {fc.Arbitrary<Fault>} */
const fault = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant(/** @type {const} */ ('action')), action }) },
  { weight: 2, arbitrary: fc.constant(/** @type {Fault} */ ({ type: 'timeout' })) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant(/** @type {const} */ ('signal')),
      signal: fc.constantFrom(.../** @type {const} */ (['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'])),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant(/** @type {const} */ ('ending')),
      how: fc.constantFrom(
        .../** @type {const} */ (['exit', 'throw', 'rejection', 'abort', 'natural', 'execve']),
      ),
    }),
  },
  { weight: 1, arbitrary: loss('keeper') },
  { weight: 1, arbitrary: loss('supervisor') },
  { weight: 1, arbitrary: loss('keeper', 'supervisor') },
  { weight: 1, arbitrary: loss('host', 'keeper') },
  { weight: 1, arbitrary: loss('supervisor', 'host') },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant(/** @type {const} */ ('blocked')),
      how: fc.constantFrom(/** @type {const} */ ('busy'), 'atomics'),
      action: fc.option(action, { nil: null }),
    }),
  },
)

/** @type {fc.Arbitrary<Round>} */
export const anyRound = fc
  .record({
    trees: fc.array(tree, { minLength: 1, maxLength: 5 }),
    fault,
    moment: fc.record({
      when: fc.constantFrom(/** @type {const} */ ('standing'), 'standing', 'early'),
      delay: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 })),
    }),
    before: fc.option(fc.record({ action, lead: fc.integer({ min: 0, max: 60 }) }), { freq: 4, nil: null }),
  })
  .map((round) => fitting({ ...round, number: 1, owners: OWNERS, title: '' }))

/**
 * The parts of a round that depend on others.
 *
 * @param {Omit<Round, 'trees'> & { trees: Omit<Round['trees'][number], 'index'>[] }} round
 * @returns {Round}
 */
export function fitting({ trees, ...round }) {
  const fault = round.fault
  const leaves = fault.type === 'ending' && fault.how === 'natural'
  const actions = ['action' in fault ? fault.action : null, round.before?.action]
  const isRevoked = (/** @type {number} */ index) =>
    actions.some(
      (action) => action?.how === 'revoke' && action.trees.some((each) => each % trees.length === index),
    )
  const planned = trees.map((tree, index) => ({
    ...tree,
    index,
    // Who leaves at once shows that nobody waits for the end of a budget.
    budget: budgetFor(tree),
    leased: isRevoked(index),
    // Reads and runs in progress hold a loop that would otherwise end.
    way: leaves ? /** @type {const} */ ('spawn') : tree.way,
    output: leaves && tree.output === 'read' ? /** @type {const} */ ('unread') : tree.output,
  }))
  const named = (/** @type {Action} */ action) =>
    'trees' in action ? { ...action, trees: chosen(action, planned) } : action
  return {
    ...round,
    title: titleOf(fault, round.before),
    trees: planned,
    before: round.before === null ? null : { ...round.before, action: named(round.before.action) },
    fault: 'action' in fault && fault.action !== null ? { ...fault, action: named(fault.action) } : fault,
  }
}

/** @param {{ script?: string, budget: number }} tree */
function budgetFor({ script = '', budget }) {
  const { members } = standingOf(script)
  const obeys = members.every(
    (member) =>
      endOf(member).needsKill === 'no' &&
      !Array.isArray(member.answer) &&
      !member.root &&
      !mayBecomeRoot(member),
  )
  if (obeys) return PATIENT
  return budget === PATIENT ? SHORTEST : budget
}

/**
 * @param {Extract<Action, { trees: number[] }>} action
 * @param {Round['trees']} planned
 */
function chosen({ how, trees }, planned) {
  const numbers = [...new Set(trees.map((number) => number % planned.length))]
  // A run can only be aborted.
  return numbers.filter((index) => how === 'abort' || planned[index]?.way === 'spawn')
}

/** @param {Fault} fault @param {Round['before']} before */
function titleOf(fault, before) {
  const names = {
    action: () => ('action' in fault ? (fault.action?.how ?? '') : ''),
    blocked: () => 'blocked',
    ending: () => ('how' in fault ? fault.how : ''),
    loss: () => ('parts' in fault ? fault.parts.join('+') : ''),
    signal: () => ('signal' in fault ? fault.signal : ''),
    timeout: () => 'timeout',
    worker: () => 'worker',
  }
  const name = names[fault.type]()
  return before === null ? name : `${name}, during ${before.action.how}`
}
