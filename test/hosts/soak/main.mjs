// The host of a soak run (test/soak/): lives like an agent runtime until it is told to end. Told to rest, it releases
// its sessions, so that what it has then can be compared with what it had before. One server stays for all the time.

import { spawn as spawnChild } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createOwner, tail } from '../../../dist/src/index.js'
import { createRandom } from '../../chaos/random.mjs'
import { leaveInput, onRequests } from '../lines.mjs'
import { startPulse } from './pulse.mjs'
import { createSessions } from './sessions.mjs'

const TALK = 'while :; do echo tick; sleep 1; done'

function say(event, details = {}) {
  process.stdout.write(`${JSON.stringify({ event, ...details })}\n`)
}

const trouble = (text) => say('trouble', { text })

const done = {}
const kept = []

/** Faults on purpose, each with every act: a run has to find them. */
const leaks = {
  none() {},
  descriptors: () => kept.push(openSync('/dev/null')),
  memory: () => kept.push(new Uint8Array(2 * 1024 * 1024).fill(1)),
  processes: () => spawnChild('sleep', ['60'], { detached: true, stdio: 'ignore' }).unref(),
}

let sessions
let resident
let owner
let endPulse

const operations = {
  async start({ folder, seed, pause, leak }) {
    const log = join(folder, 'resident.log')
    owner = createOwner('resident')
    resident = await owner.spawn('sh', ['-c', TALK], { log, kind: 'bash', label: 'resident' })
    sessions = createSessions({
      random: createRandom(seed),
      folder,
      pause,
      trouble,
      done(act) {
        done[act] = (done[act] ?? 0) + 1
        leaks[leak]()
      },
    })
    say('started', { resident: resident.pid })
    endPulse = startPulse((delay) => {
      say('beat', { delay, heap: process.memoryUsage().heapUsed, done })
      // Its keeper lives as long as the run: it has to bear being asked all the time.
      void Promise.all([resident.processes(), owner.list(), tail(resident)]).catch(({ message }) =>
        trouble(message),
      )
    })
    sessions.begin()
  },
  async rest({ least }) {
    await sessions.rest(least)
    say('resting')
  },
  collect() {
    // Twice: what a finalizer lets go of is garbage of the next time.
    for (let time = 0; time < 2; time += 1) collect()
    say('collected', { heap: process.memoryUsage().heapUsed })
  },
  work: () => sessions.begin(),
  async end() {
    endPulse()
    await sessions.rest(0)
    const { outcome } = await owner.release()
    if (outcome !== 'empty') trouble('the resident server is left')
    say('ended')
  },
  /** Nothing of ours holds the loop any more: it has to end by itself. */
  leave: leaveInput,
}

function collect() {
  if (globalThis.Bun === undefined) globalThis.gc()
  else globalThis.Bun.gc(true)
}

onRequests(({ op, ...request }) => {
  const answer = operations[op](request)
  answer?.catch?.((error) => trouble(`${op}: ${error.stack}`))
})
say('ready')
