// G9: a host that says when it is as it was before procleash came (`before`), and when it has started and ended many
// commands (`after`); it goes on at each line of input. At the end it calls no exit: it ends when nothing is left to do.

import * as fs from 'node:fs'
import process from 'node:process'

const lines = []
let wake = () => {}
process.stdin.setEncoding('utf8')
process.stdin.on('data', (text) => {
  lines.push(text)
  wake()
})

const nextLine = async () => {
  while (lines.length === 0) {
    await new Promise((resolve) => {
      wake = resolve
    })
  }
  lines.shift()
}

const tell = (event) => fs.writeSync(1, `${JSON.stringify({ event })}\n`)

tell('before')
await nextLine()
const { run, spawn } = await import('../../dist/src/index.js')
tell('imported')
await nextLine()
for (let round = 0; round < 5; round += 1) {
  await Promise.all(
    Array.from({ length: 8 }, () => run('bash', ['-c', 'sleep 0.01 & echo out; echo err >&2'])),
  )
  const command = await spawn('bash', ['-c', 'sleep 60 & wait'])
  await command.stop()
}
tell('after')
await nextLine()
if (process.argv[2] === 'with-handle') setInterval(() => {}, 1000)
process.stdin.removeAllListeners('data')
process.stdin.pause()
process.stdin.unref?.()
tell('done')
