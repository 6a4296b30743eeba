// The language of trees that test/trees/scripted.c carries out, and what follows from a script: which processes there
// are once it has come to rest, and how each answers a stop. A script is text, so that a found one can be read and run.
//
//   fork { }      a child that does what is in the brackets; as all, it stays then until it is ended
//   daemon { }    the same by a double fork, in a session of its own, an orphan
//   sibling { }   the same with clone(CLONE_PARENT): the child of one's own parent
//   times N { }   N times
//   exec, bare    becomes another program, which does the rest; bare: with an empty environment
//   setsid, group a session or a process group of its own
//   ignore, block SIGTERM, SIGHUP and SIGINT
//   trap { }      does this on one of them, and stays
//   suspend       SIGSTOP to itself; the rest follows when it is continued
//   close, write  gives its output away; writes a line of five bytes
//   user          becomes nobody, where it is root
//   root          becomes another program, which is set-user-ID root and does the rest
//   subreaper     orphans below it become its children
//   wait N        milliseconds
//   exit N, die N ends, by itself or by signal N

/**
 * @typedef {{ word: string, number: number, block: Step[] }} Step
 * @typedef {{ code: number | null, signal: string | null }} Exit
 * @typedef {'default' | 'ignore' | 'block' | Step[]} Answer To SIGTERM.
 *
 * @typedef {object} Member A process, when it has come to rest.
 * @property {'stays' | 'suspended' | Exit} rest
 * @property {Answer} answer
 * @property {boolean} root It has become root: one who isn't can't end it.
 * @property {Step[]} later What it does when it is continued.
 * @property {number} bytes That it writes to standard output itself.
 *
 * @typedef {object} Standing
 * @property {Member} command
 * @property {Member[]} members The command first. Those that are in between two forks are none.
 * @property {number} births All processes, those in between too.
 * @property {number} bytes That they all write to standard output.
 */

const BLOCKS = ['fork', 'daemon', 'sibling', 'trap', 'times']
const NUMBERS = ['wait', 'exit', 'die', 'times']
/** Signals that `die` and hosts send, by number. @type {Readonly<Record<number, NodeJS.Signals>>} */
export const SIGNALS = { 1: 'SIGHUP', 2: 'SIGINT', 9: 'SIGKILL', 10: 'SIGUSR1', 13: 'SIGPIPE', 15: 'SIGTERM' }

/** @param {string} script */
export function wordsOf(script) {
  return parse(script).flatMap(textOf)
}

/** @param {string} script @returns {Standing} */
export function standingOf(script) {
  /** @type {Standing} */
  const standing = { command: member(), members: [], births: 1, bytes: 0 }
  live(standing, standing.command, { steps: parse(script), closed: false })
  return standing
}

/** @returns {Member} */
const member = () => ({ rest: 'stays', answer: 'default', later: [], bytes: 0, root: false })

/** `times` is carried out. @param {string} script */
const parse = (script) => expand(parseAsWritten(script))

/** @param {string} script @returns {Step[]} */
export function parseAsWritten(script) {
  const words = script.split(/\s+/).filter((word) => word !== '')
  const steps = readBlock(words)
  if (words.length > 0) throw new Error(`a bracket too many: ${script}`)
  return steps
}

/** @param {string[]} words Taken from the front. @returns {Step[]} */
function readBlock(words) {
  /** @type {Step[]} */
  const steps = []
  for (let word = words.shift(); word !== undefined && word !== '}'; word = words.shift()) {
    const number = NUMBERS.includes(word) ? Number(words.shift()) : 0
    /** @type {Step[]} */
    let block = []
    if (BLOCKS.includes(word)) {
      if (words.shift() !== '{') throw new Error(`a bracket has to follow ${word}`)
      block = readBlock(words)
    }
    steps.push({ word, number, block })
  }
  return steps
}

/** Without `times`. @param {Step[]} steps @returns {Step[]} */
function expand(steps) {
  return steps.flatMap((step) => {
    const block = expand(step.block)
    if (step.word !== 'times') return [{ ...step, block }]
    return Array.from({ length: step.number }, () => block).flat()
  })
}

/** @param {Step[]} steps */
export const scriptOf = (steps) => steps.flatMap(textOf).join(' ')

/** @param {Step} step @returns {string[]} */
function textOf({ word, number, block }) {
  const head = NUMBERS.includes(word) ? [word, String(number)] : [word]
  return BLOCKS.includes(word) ? [...head, '{', ...block.flatMap(textOf), '}'] : head
}

/**
 * @param {Standing} standing
 * @param {Member} self
 * @param {{ steps: Step[], closed: boolean }} life
 */
function live(standing, self, { steps, closed }) {
  standing.members.push(self)
  for (const [at, { word, number, block }] of steps.entries()) {
    switch (word) {
      case 'daemon':
      case 'fork':
      case 'sibling':
        standing.births += word === 'daemon' ? 2 : 1
        live(standing, { ...member(), answer: self.answer, root: self.root }, { steps: block, closed })
        break
      case 'block':
        self.answer = word
        break
      case 'ignore':
      case 'trap':
        // Nothing here unblocks a signal.
        if (self.answer !== 'block') self.answer = word === 'trap' ? block : word
        break
      case 'exec':
      case 'bare':
      case 'root':
        if (word === 'root') self.root = true
        if (Array.isArray(self.answer)) self.answer = 'default'
        break
      case 'user':
        self.root = false
        break
      case 'close':
        closed = true
        break
      case 'write':
        if (closed) break
        standing.bytes += 5
        self.bytes += 5
        break
      case 'suspend':
        self.rest = 'suspended'
        self.later = steps.slice(at + 1)
        return
      case 'exit':
        self.rest = { code: number, signal: null }
        return
      case 'die':
        self.rest = { code: null, signal: SIGNALS[number] ?? null }
        return
    }
  }
}

/** How often this step is within these, at any depth. @param {Step[]} steps @param {string} word @returns {number} */
function countOf(steps, word) {
  return steps.reduce((sum, step) => sum + (step.word === word ? 1 : 0) + countOf(step.block, word), 0)
}

/**
 * How this process may end in a stop that began when it was at rest.
 *
 * @param {Member} self
 * @returns {{ exits: Exit[], needsKill: 'yes' | 'no' | 'perhaps' }}
 */
export function endOf({ rest, answer, later }) {
  if (typeof rest === 'object') return { exits: [rest], needsKill: 'no' }
  if (answer === 'default') return { exits: [by('SIGTERM')], needsKill: 'no' }
  const killed = by('SIGKILL')
  const handled = Array.isArray(answer) ? ownEnds(answer) : []
  if (rest === 'suspended') {
    // It goes on, and may give another answer to the next one.
    return { exits: [...ownEnds(later), ...handled, by('SIGTERM'), killed], needsKill: 'perhaps' }
  }
  if (handled.length > 0) return { exits: [...handled, killed], needsKill: 'perhaps' }
  return { exits: [killed], needsKill: hasExec(answer) ? 'perhaps' : 'yes' }
}

/** Whether this process may become root because of a stop. @param {Member} self */
export function mayBecomeRoot({ answer, later }) {
  return countOf(later, 'root') + (Array.isArray(answer) ? countOf(answer, 'root') : 0) > 0
}

/** @param {NodeJS.Signals} signal @returns {Exit} */
export const by = (signal) => ({ code: null, signal })

/** @param {Answer} answer */
const hasExec = (answer) =>
  Array.isArray(answer) && ['exec', 'bare', 'root'].some((word) => countOf(answer, word) > 0)

/** The ends that the command of a script may come to by itself. @param {string} script */
export const ownEndsOf = (script) => ownEnds(parse(script))

/**
 * The ends that a process may come to by these steps itself, its handlers included.
 *
 * @param {Step[]} steps
 * @returns {Exit[]}
 */
function ownEnds(steps) {
  return steps.flatMap(({ word, number, block }) => {
    if (word === 'exit') return [{ code: number, signal: null }]
    if (word === 'die') return [{ code: null, signal: SIGNALS[number] ?? null }]
    return word === 'trap' ? ownEnds(block) : []
  })
}

/** Processes that these steps start, at most. @param {Step[]} steps @returns {number} */
export function startsOf(steps) {
  return countOf(steps, 'fork') + countOf(steps, 'sibling') + 2 * countOf(steps, 'daemon')
}

/** Whether the command of a script itself may become root, at once or because of a signal. @param {string} script */
export const commandMayBecomeRoot = (script) => becomesRoot(parse(script))

/** @param {Step[]} steps @returns {boolean} */
function becomesRoot(steps) {
  return steps.some(({ word, block }) => word === 'root' || (word === 'trap' && becomesRoot(block)))
}

/**
 * Whether the command's own group may be hung up (kill_orphaned_pgrp() in the kernel's exit.c): one of the session dies
 * whose parent has another group, while somebody is suspended.
 *
 * @param {string} script
 */
export function mayBeHungUp(script) {
  const words = wordsOf(script)
  return words.includes('suspend') && words.includes('group')
}
