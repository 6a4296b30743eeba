// What a user of an installed procleash does: runs a command, and stops a tree that doesn't want to go. Writes one line
// of JSON about it. It reads no file, no variable and no folder, so that it runs with Deno's narrowest permission.
// With --tame, the tree has no process that leaves its group.

import { capabilities, run, spawn } from 'procleash'

const tame = process.argv.includes('--tame')
const stay = 'while :; do sleep 60; done'
const daemons = `setsid sh -c 'echo pid $$; ${stay}' & (setsid sh -c 'echo pid $$; exec sleep 60' &)`
// All of them ignore SIGTERM: what is ignored is inherited. The command's parent is its keeper; what that runs tells
// which helper was taken.
const script = `trap "" TERM; echo keeper $(readlink /proc/$PPID/exe); ${tame ? '' : daemons}
  sleep 60 & echo pid $!; echo pid $$; ${stay}`

const said = await run('sh', ['-c', 'echo "$0"', 'a b'])
let stopped = await stopOne(400)
// What the kernel takes on a busy machine can't be promised, and is not what this is about.
for (const budget of [2000, 8000]) if (stopped.outcome !== 'empty') stopped = await stopOne(budget)
const { grade, versions, helper } = capabilities()
console.log(
  JSON.stringify({
    said: said.stdout,
    ...stopped,
    grade,
    versions,
    helper,
    arch: process.arch,
    runtime: process.versions.bun ?? process.versions.deno ?? process.versions.node,
  }),
)

/** @param {number} budget */
async function stopOne(budget) {
  const command = await spawn('sh', ['-c', script])
  const tree = await readTree(command.stdout, tame ? 2 : 4)
  const { outcome, proof, escalated, survivors } = await command.stop({ budget })
  return { ...tree, outcome, proof, escalated, survivors }
}

/**
 * @param {AsyncIterable<Uint8Array>} output
 * @param {number} members
 */
async function readTree(output, members) {
  const decoder = new TextDecoder()
  let text = ''
  let pids = []
  for await (const bytes of output) {
    text += decoder.decode(bytes, { stream: true })
    pids = [...text.matchAll(/^pid (\d+)\n/gm)].map((match) => Number(match[1]))
    if (pids.length === members) break
  }
  return { keeper: /^keeper (.*)\n/m.exec(text)?.[1], pids }
}
