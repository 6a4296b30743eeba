// The helper under Valgrind's memcheck, for scripts/sanitize.mjs, and what of its logs is a finding.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A program that runs the helper of `tree` under Valgrind, to be named in PROCLEASH_HELPER. Supervisor, keepers and
 * watchers each write a log into `reports`.
 *
 * @param {string} tree
 * @param {string} reports
 */
export function writeValgrindHelper(tree, reports) {
  const path = join(tree, 'build/Release/helper-under-valgrind')
  const options = [
    ...['--quiet', '--leak-check=full', '--show-leak-kinds=all', '--track-origins=yes', '--track-fds=yes'],
    // Keepers are forks of the supervisor, without an exec; what is executed are commands.
    ...['--trace-children=no', '--child-silent-after-fork=no', `--log-file=${reports}/helper.%p`],
  ]
  const command = `valgrind ${options.join(' ')} '${join(tree, 'build/Release/procleash-supervisor')}' "$@"`
  writeFileSync(path, `#!/bin/sh\nexec ${command}\n`, { mode: 0o755 })
  return path
}

/**
 * Each finding as text: memory that is used without a value, past its end, or lost; and a place in the code that has
 * opened more than one of the descriptors that were still open at the end, which is how a leak of descriptors shows.
 *
 * @param {string} reports
 * @returns {{ logs: number, findings: string[] }}
 */
export function valgrindFindings(reports) {
  const logs = readdirSync(reports)
  const findings = logs.flatMap((name) =>
    findingsOf(readFileSync(join(reports, name), 'utf8')).map((text) => `${name}\n${text}`),
  )
  return { logs: logs.length, findings }
}

/** @param {string} log */
function findingsOf(log) {
  const paragraphs = log
    .split('\n')
    .filter((line) => !isOfPidfdOpen(line))
    .map((line) => line.replace(/^(==|--)\d+\1 ?/, ''))
    .join('\n')
    .replace(/^FILE DESCRIPTORS: .*$/m, '')
    .split(/\n{2,}|\n(?=Open )/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
  const places = paragraphs.filter(isOpen).map(placeOf)
  const twice = new Set(places.filter((place, index) => places.indexOf(place) !== index))
  return [
    ...paragraphs.filter((text) => !isOpen(text)),
    ...[...twice].map((place) => `More than one descriptor left by\n${place}`),
  ]
}

/** @param {string} text */
function isOpen(text) {
  return text.startsWith('Open ')
}

/**
 * The lines of code that opened it, without addresses: a loop may be unrolled.
 *
 * @param {string} open
 */
function placeOf(open) {
  return open.slice(open.indexOf('\n') + 1).replace(/0x[0-9A-F]+: /g, '')
}

/**
 * Valgrind before 3.20 does not know pidfd_open (434) and says so in five lines: the helper then does without, as on Linux
 * before 5.3.
 *
 * @param {string} line
 */
function isOfPidfdOpen(line) {
  return /^--\d+-- (WARNING: unhandled \S+ syscall: 434$|You may be|Read the file|Nevertheless|it at http)/.test(
    line,
  )
}
