// The control of a chaos run: a host that starts the trees with child_process, signals their groups, waits for the
// commands, and then says that their trees are empty. What it leaves, and that it lies, has to be found.

import { spawn } from 'node:child_process'
import process from 'node:process'
import { REASONS } from '../../chaos/reasons.mjs'
import { onRequests, say } from '../lines.mjs'

const GRACE = 50
const trees = new Map()

/** Its group, and only that: SIGTERM, and SIGKILL after a while. */
async function stop(index, reason) {
  const tree = trees.get(index)
  if (tree === undefined) return
  tree.reason ??= reason
  hit(tree.child.pid, 'SIGTERM')
  const timer = setTimeout(() => hit(tree.child.pid, 'SIGKILL'), GRACE)
  await tree.over
  clearTimeout(timer)
}

function hit(group, signal) {
  try {
    process.kill(-group, signal)
  } catch {
    // It is empty.
  }
}

function start({ index, file, args, env, timeout, owner }) {
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.unref()
  const tree = { child, owner, reason: undefined, over: undefined }
  trees.set(index, tree)
  say('started', { index, pid: child.pid })
  for (const name of ['stdout', 'stderr']) {
    let bytes = 0
    child[name].on('data', (chunk) => {
      bytes += chunk.length
    })
    child[name].on('close', () => say('closed', { index, name, bytes }))
  }
  tree.over = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal }))).then(
    (exit) => {
      trees.delete(index)
      hit(child.pid, 'SIGKILL')
      const { reason = 'exit' } = tree
      const settlement = {
        outcome: 'empty',
        reason,
        proof: 'subreaper',
        escalated: exit.signal === 'SIGKILL',
      }
      const counts = { elapsed: 0, ended: [child.pid], endedCount: 1, survivors: [] }
      say('settled', { index, settlement: { ...settlement, ...counts }, exit })
    },
  )
  if (timeout !== null) setTimeout(() => stop(index, 'timeout'), timeout).unref()
}

function act({ how, trees: indices = [], owner }) {
  if (how === 'kill') return
  const owned = [...trees].filter(([, tree]) => owner !== undefined && tree.owner?.startsWith(owner))
  for (const index of [...indices, ...owned.map(([index]) => index)]) void stop(index, REASONS[how])
}

const operations = {
  begin({ planned }) {
    for (const tree of planned) start(tree)
  },
  act: ({ action }) => act(action),
  end: () => process.exit(0),
  worker: () => say('worker gone'),
  blocked({ action }) {
    if (action !== null) act(action)
    say('blocked')
  },
  again: () => say('again', { exit: { code: 5 } }),
  async finish() {
    await Promise.all([...trees.keys()].map((index) => stop(index, 'stop')))
    say('finished')
  },
}

onRequests(({ op, ...request }) => operations[op](request))
say('ready')
