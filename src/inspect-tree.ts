// Looks at the tree of any process, once.

import { answerOf, refusalError } from './foreign.js'
import { getReactor } from './reactor.js'
import { inTreeOrder } from './tree-order.js'
import type { ProcessInfo } from './types.js'
import { checkCount, MAX_PID } from './validate.js'
import { decodeProcesses } from './wire.js'

/**
 * The process and everything that belongs to it, from one picture of /proc: its descendants by parent, and all of the
 * sessions and groups that one of them leads. The process comes first, then the others, each after its parent; zombies
 * are in it. `escaped` says how a process left the group of its parent; an orphan is compared with the first process.
 * Empty when the process ended meanwhile. Sends and starts nothing, and may look at any process, this one included.
 *
 * @throws {NoSuchProcessError} `ESRCH`: no such process.
 * @throws {ProcfsError} when /proc can't be read.
 * @throws {InvalidOptionError} when `pid` is no number of a process.
 * @throws {NativeMissingError} when the addon can't be loaded.
 */
export async function inspectTree(pid: number): Promise<ProcessInfo[]> {
  checkCount(pid, 'pid', MAX_PID, 'Give the number of a running process')
  const reactor = getReactor()
  const handle = reactor.native.inspectTree(pid)
  if (handle < 0) throw refusalError(pid, handle)
  const { processes } = decodeProcesses(await answerOf(reactor, handle))
  return inTreeOrder(pid, processes)
}
