// The program under test: `host.mjs PEER TREE READY-FILE MARK [TIMEOUT]`. Starts one tree with one peer and says so; on
// a line of input it stops it and says how long that took. With a timeout it blocks its own event loop instead. It
// never ends by itself: the watcher counts while it lives, then kills it.

import { writeSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { contenders } from '../contenders/index.mjs'

const BLOCKED = 2000
const [peer = '', tree = '', readyFile = '', mark = '', limit] = process.argv.slice(2)
const timeout = limit === undefined ? undefined : Number(limit)
const contender = contenders[peer]
if (contender === undefined) throw new Error(`there is no peer ${peer}`)

// Only the command's: the host and its helpers are not counted.
const variables = { ...process.env, COMPARE_READY: readyFile, COMPARE_MARK: mark }
const env = /** @type {Record<string, string>} */ (variables)
const began = Date.now()
const program = fileURLToPath(new URL('trees.py', import.meta.url))
const running = await contender.start('python3', [program, tree], {
  env,
  ...(timeout !== undefined && { timeout }),
})
tell({ pid: running.pid, began })

if (timeout !== undefined) {
  const until = Date.now() + BLOCKED
  while (Date.now() < until);
}
process.stdin.once('data', async () => {
  const asked = performance.now()
  await running.stop()
  tell({ stopped: performance.now() - asked })
})

/** Written at once, so that it is out before the loop is blocked. @param {object} fact */
function tell(fact) {
  writeSync(1, `${JSON.stringify(fact)}\n`)
}
