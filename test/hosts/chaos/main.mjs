// The host of a chaos run (test/chaos/): starts the trees of one round after the other and does to them, or to itself,
// what it is told, one JSON line each. Says what it sees in lines of its own. The same file is its worker.

import { spawn as spawnBystander } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { run } from '../../../dist/src/index.js'
import { endings } from '../endings.mjs'
import { leaveInput, onRequests, say } from '../lines.mjs'
import { act, brief, createOwners, finish, leave, startAll } from './trees.mjs'

let worker

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

/** Until the test has seen enough, which it says by a file: nothing else gets through. */
function block(how, file) {
  say('blocked')
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const end = performance.now() + 10_000
  while (!existsSync(file) && performance.now() < end) {
    if (how === 'atomics') Atomics.wait(cell, 0, 0, 5)
    else for (const turn = performance.now() + 2; performance.now() < turn; );
  }
  say('unblocked')
}

const chaosEndings = {
  ...endings,
  execve: () => process.execve('/bin/sleep', ['sleep', '20'], { ...process.env }),
  natural() {
    leave()
    worker?.unref()
    leaveInput()
  },
}

const operations = {
  begin({ planned, plannedOwners }) {
    createOwners(plannedOwners)
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
    setTimeout(chaosEndings[how], 0)
  },
  worker({ how }) {
    if (how === 'terminate') void worker.terminate()
    else worker.postMessage({ op: how })
  },
  /** A host that has lost its supervisor goes on. */
  async again() {
    try {
      const { code, signal, settlement } = await run('sh', ['-c', 'exit 5'])
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
