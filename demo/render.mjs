// What the demo prints: colours and tree lines on a terminal, plain ASCII text elsewhere.

import { styleText } from 'node:util'

/** @typedef {import('./demo.mjs').Row} Row */
/** @typedef {import('../dist/src/index.js').ProcessInfo} ProcessInfo */
/** @typedef {Parameters<typeof styleText>[0]} Style */

const terminal = process.stdout.isTTY === true
/** hasColors() knows NO_COLOR, TERM and the rest. */
const colours = terminal && process.stdout.hasColors()
const glyphs = terminal
  ? { fork: '├─ ', last: '└─ ', bar: '│  ', kept: '✓', broken: '✗', rule: '─' }
  : { fork: '|- ', last: '`- ', bar: '|  ', kept: 'ok', broken: 'BROKEN', rule: '-' }

/** @type {Record<string, string>} */
const escapes = {
  group: 'escaped into a process group of its own',
  session: 'escaped into a session of its own (setsid)',
  daemon: 'escaped as a daemon (double fork: new session, parent gone)',
}

export function title() {
  print(paint('bold', 'procleash: when a stop settles, nothing that the command started is left'))
  print(
    paint(
      'dim',
      'Each runtime: stop a tree that resists, time out with a blocked event loop, kill the host.',
    ),
  )
}

/** @param {Row['runtime']} runtime */
export function runtime({ name, version, missing }) {
  print('')
  print(
    missing === undefined ? paint(['bold', 'cyan'], `${name} ${version}`) : `${name}: missing, ${missing}`,
  )
}

/**
 * Below the keeper: every orphan comes up to it, so that it has the whole tree, daemons included.
 *
 * @param {readonly ProcessInfo[]} processes
 * @param {Record<string, string>} roles
 */
export function tree(processes, roles) {
  const pids = new Set(processes.map(({ pid }) => pid))
  const tops = processes.filter(({ ppid }) => !pids.has(ppid))
  print(`  ${tops[0]?.ppid} keeper ${paint('dim', 'of procleash, parent of every orphan')}`)
  branch(tops, '  ')

  /**
   * @param {readonly ProcessInfo[]} siblings
   * @param {string} indent
   */
  function branch(siblings, indent) {
    for (const [index, { pid, escaped }] of siblings.entries()) {
      const last = index === siblings.length - 1
      const role = roles[pid] ?? ''
      const name = `${indent}${last ? glyphs.last : glyphs.fork}${pid} ${role}`
      print(`${name.padEnd(32)} ${remark(role, escaped)}`.trimEnd())
      branch(
        processes.filter(({ ppid }) => ppid === pid),
        indent + (last ? '   ' : glyphs.bar),
      )
    }
  }
}

/**
 * @param {string} role
 * @param {ProcessInfo['escaped']} escaped
 */
function remark(role, escaped) {
  if (escaped !== null) return paint('yellow', escapes[escaped] ?? escaped)
  return role === 'deaf child' ? paint('yellow', 'ignores SIGTERM') : ''
}

/** @param {import('./demo.mjs').StopAct} act */
export function stop({ kept, settlement, roles, left }) {
  const { outcome, proof, escalated, elapsed, ended } = settlement
  line(kept, 'stop', `${outcome} after ${ms(elapsed)} of 500, proof: ${proof}, escalated: ${escalated}`)
  /** @type {Map<string, string[]>} */
  const groups = new Map()
  for (const { pid, signal, code } of ended) {
    const how = signal ?? (code === null ? 'unknown' : `exit ${code}`)
    groups.set(how, [...(groups.get(how) ?? []), roles[pid] ?? `pid ${pid}`])
  }
  for (const [how, names] of groups) detail(`${how} ended: ${names.join(', ')}`)
  detail(`/proc, read by the host itself: ${left} left`)
}

/** @param {import('./demo.mjs').TimeoutAct} act */
export function timeout({ kept, dead, unblocked, ownTimer, settlement }) {
  const { outcome, reason } = settlement
  line(
    kept,
    'timeout',
    `of 300 ms: dead after ${ms(dead)}; the event loop was blocked until ${ms(unblocked)}`,
  )
  detail(
    `settlement: ${outcome}, reason: ${reason}; the host's own setTimeout of 300 ms fired after ${ms(ownTimer)}`,
  )
}

/** @param {import('./demo.mjs').DeathAct} act */
export function death({ kept, started, left, elapsed }) {
  line(kept, 'host', `killed by SIGKILL: of its ${started} processes ${left} left after ${ms(elapsed)}`)
}

/** @param {string} message */
export function error(message) {
  line(false, 'error', message.trimEnd())
}

/** @param {readonly Row[]} rows */
export function table(rows) {
  const head = ['runtime', 'stop of 500 ms', 'left', 'timeout of 300 ms, loop blocked', 'host killed', 'left']
  const cells = rows.map(({ runtime: { name, version, missing }, stop, timeout, death }) => {
    if (missing !== undefined) return [name, 'missing', '', '', '', '']
    return [
      `${name} ${version}`,
      cell(stop, stop && ms(stop.settlement.elapsed)),
      cell(stop, stop && String(stop.left)),
      cell(timeout, timeout && `${ms(timeout.dead)}`),
      cell(death, death && ms(death.elapsed)),
      cell(death, death && String(death.left)),
    ]
  })
  const widths = head.map((text, column) =>
    Math.max(text.length, ...cells.map((row) => (row[column] ?? '').length)),
  )
  /** @param {readonly string[]} row */
  const padded = (row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd()
  print('')
  print(paint('bold', padded(head)))
  print(paint('dim', glyphs.rule.repeat(padded(head).length)))
  for (const row of cells) {
    const text = padded(row)
    print(
      text.includes(glyphs.broken)
        ? paint('red', text)
        : text.replaceAll(glyphs.kept, paint('green', glyphs.kept)),
    )
  }
}

/**
 * @param {{ kept: boolean } | undefined} act
 * @param {string | undefined} text
 */
function cell(act, text) {
  if (act === undefined) return `${glyphs.broken} -`
  return `${act.kept ? glyphs.kept : glyphs.broken} ${text}`
}

/**
 * @param {boolean} kept
 * @param {string} name
 * @param {string} text
 */
function line(kept, name, text) {
  const glyph = kept ? paint('green', glyphs.kept) : paint(['bold', 'red'], glyphs.broken)
  print(`  ${glyph} ${paint('bold', name.padEnd(8))} ${text}`)
}

/** @param {string} text */
function detail(text) {
  print(paint('dim', `${' '.repeat(3 + glyphs.kept.length)}${' '.repeat(9)}${text}`))
}

/** @param {number} value */
function ms(value) {
  return `${value.toFixed(0)} ms`
}

/**
 * @param {Style} style
 * @param {string} text
 */
function paint(style, text) {
  return colours ? styleText(style, text) : text
}

/** @param {string} text */
function print(text) {
  console.log(text)
}
