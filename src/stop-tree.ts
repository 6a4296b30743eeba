// Stops the tree of a process that somebody else started. Native code finds, proves and signals, on its own clock.

import { answerOf, refusalError } from './foreign.js'
import { checkBudget, DEFAULT_BUDGET } from './options.js'
import { getReactor } from './reactor.js'
import { signalNumber } from './signals.js'
import type { Settlement, StopTreeOptions } from './types.js'
import { checkCount, checkObject, checkPid } from './validate.js'
import { decodeSettled } from './wire.js'

/**
 * Stops a process that procleash did not start, with everything that belongs to it: its descendants by parent, and all
 * of the sessions and groups that one of them leads. The first signal goes to each once (to the whole group where the
 * process leads one of its own), SIGKILL to what is left shortly before the budget ends. No process is started for it,
 * and a blocked event loop changes nothing; the end of this process does, as nobody carries on then.
 *
 * The settlement has reason `'stop'` and proof `'snapshot'`: two pictures of /proc agreed that nothing of what was
 * seen is left. What left the tree before the call, reparented and in a session of its own, can't be seen. `ended` names
 * no exit statuses, which belong to each process's own parent.
 *
 * @throws {NoSuchProcessError} `ESRCH`: no such process, or not the one of `startTime`.
 * @throws {ForbiddenTargetError} for 0, 1, negative numbers, this process, what it descends from, and other members of
 *   its process group.
 * @throws {ProcfsError} when /proc can't be read.
 * @throws {InvalidOptionError} when an option is not valid.
 * @throws {NativeMissingError} when the addon can't be loaded.
 */
export async function stopTree(pid: number, options: StopTreeOptions = {}): Promise<Settlement> {
  return stopForeignTree(pid, options, 'refuse')
}

/** `groupMates`: whether members of the host's own group that don't descend from it may be named. */
export async function stopForeignTree(
  pid: number,
  options: StopTreeOptions,
  groupMates: 'refuse' | 'allow',
): Promise<Settlement> {
  checkPid(pid, 'pid')
  checkObject(options, 'options')
  const { budget = DEFAULT_BUDGET, signal = 'SIGTERM', startTime } = options
  checkBudget(budget)
  const signo = signalNumber(signal, 'signal')
  if (startTime !== undefined) {
    checkCount(startTime, 'startTime', Number.MAX_SAFE_INTEGER, 'Give the startTime of a ProcessInfo')
  }
  const reactor = getReactor()
  const handle = reactor.native.stopTree(pid, startTime ?? -1, budget, signo, groupMates === 'allow')
  if (handle < 0) throw refusalError(pid, handle)
  return decodeSettled(await answerOf(reactor, handle))
}
