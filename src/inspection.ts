// Questions to a keeper about the processes of its tree, and the answers, which come in parts. Each is answered once:
// at the latest when the tree settles, by nothing.

import { type Deferred, deferred } from './deferred.js'
import type { Reactor } from './reactor.js'
import type { ProcessInfo } from './types.js'
import { decodeProcesses } from './wire.js'

export interface Inspection {
  /** Only while native code knows the handle. */
  ask(): Promise<ProcessInfo[]>
  answered(payload: ArrayBuffer): void
  end(): void
}

export function createInspection(reactor: Reactor, handle: number): Inspection {
  let next = 1
  const asked = new Map<number, { readonly found: ProcessInfo[]; readonly answer: Deferred<ProcessInfo[]> }>()

  const ask = (): Promise<ProcessInfo[]> => {
    const requestId = next
    next += 1
    if (!reactor.native.inspect(handle, requestId)) return Promise.resolve([])
    const answer = deferred<ProcessInfo[]>()
    asked.set(requestId, { found: [], answer })
    return answer.promise.finally(reactor.hold())
  }

  const answered = (payload: ArrayBuffer): void => {
    const { requestId, more, processes } = decodeProcesses(payload)
    const question = asked.get(requestId)
    if (question === undefined) return
    question.found.push(...processes)
    if (more) return
    asked.delete(requestId)
    question.answer.resolve(question.found)
  }

  const end = (): void => {
    for (const { answer } of asked.values()) answer.resolve([])
    asked.clear()
  }

  return { ask, answered, end }
}
