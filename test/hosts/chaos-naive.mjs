// The control of a chaos run: a host that starts the trees with child_process, signals their groups, and then says
// that they are empty. What it leaves, and that it lies, has to be found.

import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import process from 'node:process'
import { onRequests } from './requests.mjs'

const trees = new Map()

const say = (event, details = {}) => fs.writeSync(1, `${JSON.stringify({ event, ...details })}\n`)

function stop(index) {
  const child = trees.get(index)
  if (child === undefined) return
  trees.delete(index)
  try {
    process.kill(-child.pid, 'SIGTERM')
  } catch {
    // Its group is empty.
  }
  const settlement = { outcome: 'empty', reason: 'stop', proof: 'subreaper', elapsed: 0 }
  say('settled', {
    index,
    settlement: { ...settlement, ended: [child.pid], endedCount: 1, survivors: [] },
    exit: { code: null, signal: 'SIGTERM' },
  })
}

const operations = {
  begin({ planned }) {
    for (const { index, file, args, env } of planned) {
      const child = spawn(file, args, { env: { ...process.env, ...env }, detached: true, stdio: 'ignore' })
      child.unref()
      trees.set(index, child)
      say('started', { index, pid: child.pid })
    }
  },
  act({ action }) {
    for (const index of action.trees ?? []) stop(index)
  },
  end: () => process.exit(0),
  worker: () => say('worker gone'),
  blocked: () => say('blocked'),
  again: () => say('again', { exit: { code: 5 } }),
  finish() {
    for (const index of [...trees.keys()]) stop(index)
    say('finished')
  },
}

onRequests(({ op, ...request }) => operations[op](request))
say('ready')
