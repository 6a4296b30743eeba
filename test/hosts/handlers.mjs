// Tells what listens to events of the process: `before` procleash came, when it was `imported`, while it is `using`
// all that ends a tree, and `after`. Goes on at each line of input.

import * as fs from 'node:fs'
import process from 'node:process'

const lines = []
let wake = () => {}
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text) => {
  lines.push(text)
  wake()
})
process.stdin.on('end', () => process.exit(0))

const tell = async (event) => {
  const listeners = Object.fromEntries(
    process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  )
  fs.writeSync(1, `${JSON.stringify({ event, listeners })}\n`)
  while (lines.length === 0) {
    await new Promise((resolve) => {
      wake = resolve
    })
  }
  lines.shift()
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
