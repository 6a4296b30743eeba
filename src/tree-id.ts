// Names of trees. A process id is used again by the kernel, and a counter by the next run of the host, whose user or
// model may still have an old name in mind: these are never used again, so an old one matches nothing.

import { isMainThread, threadId } from 'node:worker_threads'

let prefix: string | undefined
let last = 0

/** Short, for people and models: `3f9ac0-14`; in a worker thread also its number. */
export function newTreeId(): string {
  prefix ??= crypto.randomUUID().slice(0, 6) + (isMainThread ? '' : `.${threadId}`)
  last += 1
  return `${prefix}-${last}`
}
