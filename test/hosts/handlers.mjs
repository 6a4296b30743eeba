// Tells what listens to events of the process: `before` procleash came, when it was `imported`, while it is `using`
// all that ends a tree, and `after`. Goes on at each line of input.

import process from 'node:process'
import { readLines, say } from './lines.mjs'

const nextLine = readLines()

const tell = async (event) => {
  const listeners = Object.fromEntries(
    process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  )
  say(event, { listeners })
  await nextLine()
}

await tell('before')
const { createOwner, run, spawn } = await import('../../dist/src/index.js')
await tell('imported')
const controller = new AbortController()
const owner = createOwner('session')
const commands = await Promise.all([
  spawn('sleep', ['60'], { signal: controller.signal }),
  spawn('sleep', ['60'], { timeout: 60_000 }),
  owner.spawn('sleep', ['60']),
  owner.child('turn').spawn('sleep', ['60']),
])
const running = run('sleep', ['60'], { signal: controller.signal })
await tell('using')
controller.abort()
await Promise.all([owner.release(), running, ...commands.map((command) => command.stop())])
await tell('after')
process.exit(0)
