// The trees and owners of one round in a chaos host, or in its worker: started, acted on, ended. Each end is told by a
// line of its own.

import process from 'node:process'
import * as procleash from '../../../dist/src/index.js'
import { say } from '../lines.mjs'

/** Of this round: index of a tree -> what is known of it. */
const trees = new Map()
/** Owners of this round by id. */
const owners = new Map()
/** The loop is to end by itself: whatever starts from now on must not hold it. */
let leaving = false
/** Index of a tree -> the timer that will begin it. */
const waiting = new Map()

/** For a control: what is said of escalations is not true then. */
const lies = process.env.PROCLEASH_CHAOS_LIE === 'escalated'

export const brief = (settlement) => ({
  outcome: settlement.outcome,
  reason: settlement.reason,
  proof: settlement.proof,
  escalated: settlement.escalated && !lies,
  elapsed: Math.round(settlement.elapsed),
  ended: settlement.ended.map(({ pid }) => pid),
  endedCount: settlement.endedCount,
  survivors: settlement.survivors
    .slice(0, 20)
    .map(({ pid, startTime, reason }) => ({ pid, startTime, reason })),
})

async function start(tree) {
  const { index, file, args, env, way, owner, budget, timeout, leftovers, kind, output, leased } = tree
  const entry = {
    tree,
    controller: new AbortController(),
    command: undefined,
    lease: undefined,
    over: Promise.resolve(),
  }
  trees.set(index, entry)
  const starter = owner === null ? procleash : owners.get(owner)
  const options = {
    env: { ...process.env, ...env },
    signal: entry.controller.signal,
    budget,
    timeout: timeout ?? undefined,
    leftovers,
    kind,
    label: `tree ${index}`,
  }
  if (output === 'ignore') Object.assign(options, { stdout: 'ignore', stderr: 'ignore' })
  if (way === 'run') {
    const { code, signal, settlement } = await starter.run(file, args, options)
    say('settled', { index, settlement: brief(settlement), exit: { code, signal } })
    return
  }
  const command = await starter.spawn(file, args, options)
  entry.command = command
  if (leaving) command.unref()
  say('started', { index, pid: command.pid })
  const heard = leased ? cover(entry) : command
  if (output === 'read') {
    void drop(entry, heard.stdout, 'stdout')
    void drop(entry, heard.stderr, 'stderr')
  }
  const settlement = await command.settled
  say('settled', { index, settlement: brief(settlement), exit: await command.exited })
}

/** What the holder of a lease hears: nothing any more, once it is revoked. */
function cover(entry) {
  entry.lease = new procleash.IoLease()
  const heard = entry.lease.covers(entry.command)
  for (const what of ['exited', 'settled']) {
    heard[what].then(
      () => checkHeard(entry, what),
      (error) => {
        if (error.code !== 'ERR_PROCLEASH_LEASE_REVOKED') say('trouble', { what, message: String(error) })
      },
    )
  }
  return heard
}

function checkHeard({ tree, lease }, what) {
  const isLate = lease !== undefined && lease.state !== 'active'
  if (isLate) say('trouble', { what: 'revoked', message: `${what} of tree ${tree.index} is heard of` })
}

async function drop(entry, stream, name) {
  let bytes = 0
  try {
    for await (const chunk of stream) {
      checkHeard(entry, name)
      bytes += chunk.byteLength
    }
    say('closed', { index: entry.tree.index, name, bytes })
  } catch (error) {
    say('trouble', { what: 'stream', message: String(error) })
  }
}

export function createOwners(planned) {
  for (const { id, parent } of planned) {
    owners.set(
      id,
      parent === null ? procleash.createOwner(id) : owners.get(parent).child(id.split('/').at(-1)),
    )
  }
}

export function startAll(planned) {
  for (const tree of planned) {
    const begin = () => {
      waiting.delete(tree.index)
      const over = start(tree).catch((error) => {
        say('failed', { index: tree.index, name: error.name, code: error.code, message: error.message })
      })
      const entry = trees.get(tree.index)
      if (entry !== undefined) entry.over = over
    }
    if (tree.delay === 0) begin()
    else waiting.set(tree.index, setTimeout(begin, tree.delay))
  }
}

/** Each end is told by a line of its own; what comes back from these calls is the same settlement. */
export function act(action) {
  switch (action.how) {
    case 'stop':
      for (const index of action.trees)
        void trees.get(index)?.command?.stop({ budget: action.budget ?? undefined })
      return
    case 'abort':
      for (const index of action.trees) trees.get(index)?.controller.abort()
      return
    case 'revoke':
      for (const index of action.trees) trees.get(index)?.lease?.revoke()
      return
    case 'kill':
      for (const index of action.trees) trees.get(index)?.command?.kill(action.signal)
      return
    case 'release':
      void owners.get(action.owner).release({ budget: action.budget ?? undefined })
      return
    case 'stop owner': {
      const kind = action.kind ?? undefined
      // One that was released before has nothing to stop.
      void owners
        .get(action.owner)
        .stop({ kind })
        .catch((error) => {
          if (error.code !== 'ERR_PROCLEASH_OWNER_RELEASED')
            say('trouble', { what: 'stop owner', message: `${error.code} ${error.message}` })
        })
    }
  }
}

/** Ends what is left of the round. */
export async function finish(budget) {
  forgetWaiting()
  const releases = [...owners.values()].map((owner) => owner.release({ budget }))
  for (const { command, controller } of trees.values()) {
    if (command === undefined) controller.abort()
    else void command.stop({ budget })
  }
  await Promise.all([...[...trees.values()].map(({ over }) => over), ...releases])
  trees.clear()
  owners.clear()
}

function forgetWaiting() {
  for (const [index, timer] of waiting) {
    clearTimeout(timer)
    say('failed', { index, name: 'not begun', code: 'NOT_BEGUN' })
  }
  waiting.clear()
}

/** Nothing of ours holds the loop any more. */
export function leave() {
  leaving = true
  forgetWaiting()
  for (const { command } of trees.values()) command?.unref()
}
