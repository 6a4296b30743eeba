// G9: a host that says when it is as it was before procleash came (`before`), and when it has started and ended many
// commands (`after`); it goes on at each line of input. At the end it calls no exit: it ends when nothing is left to do.

import process from 'node:process'
import { leaveInput, readLines, say } from './lines.mjs'

const nextLine = readLines()

say('before')
await nextLine()
const { run, spawn } = await import('../../dist/src/index.js')
say('imported')
await nextLine()
for (let round = 0; round < 5; round += 1) {
  await Promise.all(
    Array.from({ length: 8 }, () => run('bash', ['-c', 'sleep 0.01 & echo out; echo err >&2'])),
  )
  const command = await spawn('bash', ['-c', 'sleep 60 & wait'])
  await command.stop()
}
say('after')
await nextLine()
if (process.argv[2] === 'with-handle') setInterval(() => {}, 1000)
leaveInput()
say('done')
