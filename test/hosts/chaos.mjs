// The host of a chaos run (test/chaos/): starts the trees of one round after the other and does to them, or to itself,
// what it is told, one JSON line each. Says what it sees in lines of its own. The same file is its worker.

import { Buffer } from 'node:buffer'
import { spawn as spawnBystander } from 'node:child_process'
import * as fs from 'node:fs'
import process from 'node:process'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import * as procleash from '../../dist/src/index.js'
import { onRequests } from './requests.mjs'

/** Of this round: index of a tree -> what is known of it. */
const trees = new Map()
/** Owners of this round by id. */
const owners = new Map()
let worker
/** The loop is to end by itself: whatever starts from now on must not hold it. */
let leaving = false
/** Index of a tree -> the timer that will begin it. */
const waiting = new Map()

/** Everything that a line says stays below PIPE_BUF: lines of two threads must not mix. */
function say(event, details = {}) {
  const bytes = Buffer.from(`${JSON.stringify({ event, ...details })}\n`)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(1, bytes, at)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}

/** For a control: what is said of escalations is not true then. */
const lies = process.env.PROCLEASH_CHAOS_LIE === 'escalated'

const brief = (settlement) => ({
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

function startAll(planned) {
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
function act(action) {
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
async function finish(budget) {
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

/** A child that procleash has nothing to do with, in the host's own session. */
function startBystander() {
  const child = spawnBystander('sleep', ['60'], { env: { PATH: process.env.PATH }, stdio: 'ignore' })
  child.unref()
  child.on('exit', (code, signal) => {
    say('bystander ended', { code, signal })
    startBystander()
  })
  say('bystander', { pid: child.pid })
}

/** Nothing of ours holds the loop any more. */
function leave() {
  leaving = true
  forgetWaiting()
  for (const { command } of trees.values()) command?.unref()
}

/** Until the test has seen enough, which it says by a file: nothing else gets through. */
function block(how, file) {
  say('blocked')
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const end = performance.now() + 10_000
  while (!fs.existsSync(file) && performance.now() < end) {
    if (how === 'atomics') Atomics.wait(cell, 0, 0, 5)
    else for (const turn = performance.now() + 2; performance.now() < turn; );
  }
  say('unblocked')
}

const endings = {
  exit: () => process.exit(0),
  throw: () => {
    throw new Error('thrown on purpose')
  },
  rejection: () => {
    void Promise.reject(new Error('rejected on purpose'))
  },
  abort: () => process.abort(),
  execve: () => process.execve('/bin/sleep', ['sleep', '20'], { ...process.env }),
  natural() {
    leave()
    worker?.unref()
    process.stdin.removeAllListeners('data')
    process.stdin.removeAllListeners('end')
    process.stdin.pause()
    process.stdin.unref?.()
  },
}

const operations = {
  begin({ planned, plannedOwners }) {
    for (const { id, parent } of plannedOwners) {
      owners.set(
        id,
        parent === null ? procleash.createOwner(id) : owners.get(parent).child(id.split('/').at(-1)),
      )
    }
    const inWorker = planned.filter(({ thread }) => thread === 'worker')
    if (inWorker.length > 0) startWorker(inWorker)
    startAll(planned.filter(({ thread }) => thread === 'main'))
  },
  act: ({ action }) => act(action),
  /** In one turn: nothing of ours runs between the request and the blockade. */
  blocked({ action, how, file }) {
    if (action !== null) act(action)
    block(how, file)
  },
  end: ({ how }) => {
    setTimeout(endings[how], 0)
  },
  worker({ how }) {
    if (how === 'terminate') void worker.terminate()
    else worker.postMessage({ op: how })
  },
  /** A host that has lost its supervisor goes on. */
  async again() {
    try {
      const { code, signal, settlement } = await procleash.run('sh', ['-c', 'exit 5'])
      say('again', { exit: { code, signal }, settlement: brief(settlement) })
    } catch (error) {
      say('again', { exit: null, error: `${error.code} ${error.message}` })
    }
  },
  ping: () => say('pong'),
  async finish({ budget }) {
    worker?.postMessage({ op: 'finish', budget })
    await finish(budget)
    await worker?.over
    say('finished')
  },
}

function startWorker(planned) {
  const own = new Worker(new URL(import.meta.url), { workerData: { planned } })
  own.on('error', () => {
    // One that was told to throw.
  })
  own.over = new Promise((resolve) => own.once('exit', resolve))
  void own.over.then(() => {
    say('worker gone')
    if (worker === own) worker = undefined
  })
  worker = own
}

const workerOperations = {
  exit: () => process.exit(0),
  throw: () => {
    throw new Error('thrown in the worker on purpose')
  },
  close() {
    leave()
    parentPort.close()
  },
  async finish({ budget }) {
    await finish(budget)
    parentPort.close()
  },
}

if (isMainThread) {
  onRequests(({ op, ...request }) => void operations[op](request))
  startBystander()
  say('ready')
} else {
  parentPort.on('message', ({ op, ...request }) => {
    // Not within the promise of an async function: what is thrown on purpose must be uncaught.
    void workerOperations[op](request)
  })
  startAll(workerData.planned)
}
