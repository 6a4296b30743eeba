// Subreaper mode in a host, seen from the test.

import type { Orphan, OrphanCounts, Subreaper, SubreaperOptions } from '../../src/subreaper.js'
import type { Host } from './host.js'
import { zombieChildrenOf } from './proc.js'
import { waitUntil } from './wait.js'

/** It is `kept.subreaper` there. */
export function enable(host: Host, unclaimedAfter: number | 'never' = 'never'): Promise<void> {
  return host.evaluate(({ procleash, kept }, after) => {
    const options: SubreaperOptions = { unclaimedAfter: after === 'never' ? Infinity : after }
    kept.subreaper = procleash.enableSubreaper(options)
  }, unclaimedAfter)
}

export function disable(host: Host): Promise<OrphanCounts> {
  return host.evaluate(({ kept }) => {
    const subreaper = kept.subreaper as Subreaper
    subreaper.disable()
    return subreaper.counts()
  }, null)
}

export function counts(host: Host): Promise<OrphanCounts> {
  return host.evaluate(({ kept }) => (kept.subreaper as Subreaper).counts(), null)
}

export function orphans(host: Host): Promise<Orphan[]> {
  return host.evaluate(({ kept }) => (kept.subreaper as Subreaper).orphans(), null)
}

/** Runs a shell script by the runtime's own spawn, to the end of the shell. */
export function runShell(host: Host, script: string, detached = false): Promise<number | null> {
  return host.evaluate(
    ({ childProcess }, { script, detached }) => {
      const child = childProcess.spawn('sh', ['-c', script], { stdio: 'ignore', detached })
      return new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
    },
    { script, detached },
  )
}

/** So many were reaped, and no zombie is below the host. */
export async function untilReaped(host: Host, wanted: number, deadline = 20_000): Promise<OrphanCounts> {
  let found = await counts(host)
  await waitUntil(
    async () => {
      found = await counts(host)
      return found.reaped >= wanted && zombieChildrenOf(host.pid).length === 0
    },
    deadline,
    () => `${wanted} orphans reaped: ${JSON.stringify(found)}, ${zombieChildrenOf(host.pid).length} zombies`,
  )
  return found
}
