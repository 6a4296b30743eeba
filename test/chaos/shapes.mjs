// The trees of a chaos run: small programs, most of them a line of sh(1), so that forty of them start in a moment.
// Each ends by itself within half a minute, whatever happens.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compiled } from '../../bench/lib/native.mjs'
import { standingOf, wordsOf } from '../properties/script.mjs'

const trees = fileURLToPath(new URL('../trees/', import.meta.url))
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

/**
 * @typedef {object} Shape
 * @property {string} file
 * @property {string[]} args
 * @property {boolean} lasting Its command runs until somebody ends it.
 * @property {import('../properties/script.mjs').Exit} [end] What its command ends with when nobody disturbs it.
 * @property {'unread'} [output] It writes without end.
 * @property {boolean} [unmarked] A part of it has an empty environment and a session of its own.
 * @property {number} weight How often it is chosen.
 * @property {number} most How many of it a round may have.
 */

/**
 * @param {string} script
 * @param {Partial<Shape>} [more]
 * @returns {Shape}
 */
function lasting(script, more = {}) {
  return { file: 'sh', args: ['-c', script], lasting: true, weight: 4, most: 40, ...more }
}

/**
 * @param {string} script
 * @param {Partial<Shape>} [more]
 * @returns {Shape}
 */
function passing(script, more = {}) {
  return { ...lasting(script, more), lasting: false }
}

/**
 * A program of test/trees/: slower to start, so there are few.
 *
 * @param {string} name
 * @param {...string} args
 * @returns {Shape}
 */
function borrowed(name, ...args) {
  const file = name.endsWith('.py') ? python : 'bash'
  return { file, args: [trees + name, ...args], lasting: false, weight: 0.4, most: 1 }
}

/** Every 5 ms it forks itself into a new session and exits: a list of processes often doesn't show it at all. */
const HOPPER = `
import os, time
def hop():
    end = time.monotonic() + 10
    os.setsid()
    null = os.open('/dev/null', os.O_RDWR)
    for fd in (0, 1, 2): os.dup2(null, fd)
    while time.monotonic() < end:
        time.sleep(0.005)
        if os.fork(): os._exit(0)
        os.setsid()
if os.fork() == 0: hop(); os._exit(0)
time.sleep(30)`

/** Its number and start time are written down before its environment, by which it could be found, is gone. */
const UNMARKED = `read -r stat </proc/self/stat
echo "$stat" >"$CHAOS_DIR/$CHAOS_INDEX.$$"
exec env -i sleep 30 </dev/null >/dev/null 2>&1`

/** @type {Readonly<Record<string, Shape>>} */
export const SHAPES = {
  sleeper: lasting('exec sleep 30', { weight: 6 }),
  family: lasting('sleep 30 & sleep 30 & (sleep 30 & wait) & wait', { weight: 6 }),
  deaf: lasting('trap "" TERM HUP INT; sleep 30 & wait', { weight: 5 }),
  session: lasting('setsid sleep 30 & wait'),
  daemon: lasting('(setsid sh -c "sleep 30 & sleep 30 & exit 0" &); exec sleep 30', { weight: 6 }),
  unmarked: lasting(`(setsid sh -c '${UNMARKED}' &); exec sleep 30`, { unmarked: true, weight: 5 }),
  suspended: lasting('sleep 30 & kill -STOP $!; (kill -STOP $$) & wait', { weight: 3 }),
  obedient: lasting('trap "exit 0" TERM; (trap "" TERM; exec sleep 30) & wait'),
  graceful: lasting('trap "sleep 0.1; exit 0" TERM; sleep 30 & wait', { weight: 3 }),
  helper: lasting(
    `trap 'setsid sh -c "trap : TERM; while :; do sleep 1; done" & exit 0' TERM; while :; do sleep 0.2; done`,
    { weight: 3 },
  ),
  flood: lasting('yes & wait', { output: 'unread', weight: 1, most: 2 }),
  crowd: lasting('i=0; while [ $i -lt 24 ]; do sleep 30 & i=$((i+1)); done; wait', { weight: 1, most: 1 }),
  storm: lasting('i=0; while [ $i -lt 300 ]; do sleep 0.05 & i=$((i+1)); sleep 0.02; done; sleep 30', {
    weight: 1,
    most: 1,
  }),
  hopper: { ...lasting(''), file: python, args: ['-I', '-S', '-c', HOPPER], weight: 1, most: 1 },
  short: passing('exit 7', { end: { code: 7, signal: null }, weight: 4 }),
  words: passing('echo out; echo err >&2; sleep 0.05; exit 3', { end: { code: 3, signal: null }, weight: 3 }),
  'left behind': passing('(setsid sleep 30 </dev/null >/dev/null 2>&1 &); exit 4', {
    end: { code: 4, signal: null },
    weight: 3,
  }),
  'background job': passing('sleep 30 & exit 5', { end: { code: 5, signal: null }, weight: 2 }),
  menagerie: borrowed('menagerie.py'),
  'classic daemon': borrowed('double-fork-daemon.py'),
  service: borrowed('service.py'),
  'slow but graceful': borrowed('slow-but-graceful.py'),
  'suspended server': borrowed('suspended-server.sh'),
  'own session': borrowed('own-session.sh'),
  'helper on TERM': borrowed('helper-on-term.sh'),
}

/**
 * What a tree is to start, and how that behaves.
 *
 * @param {Pick<import('./plan.mjs').PlannedTree, 'shape' | 'script'>} tree
 * @returns {Shape}
 */
export function shapeOf({ shape, script }) {
  if (script !== undefined) return scripted(script)
  const found = SHAPES[shape]
  if (found === undefined) throw new Error(`there is no shape ${shape}`)
  return found
}

/** The program that carries out scripts. */
export const scriptedProgram = () => compiled('../test/trees/scripted.c')

/**
 * @param {string} script
 * @returns {Shape}
 */
function scripted(script) {
  const { rest } = standingOf(script).command
  const shape = { file: scriptedProgram(), args: wordsOf(script), weight: 0, most: 0 }
  return typeof rest === 'object' ? { ...shape, lasting: false, end: rest } : { ...shape, lasting: true }
}
