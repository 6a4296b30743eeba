// A host with one child that would run for a minute. `hold` keeps it and does nothing; `unref` lets the loop end.

import { writeSync } from 'node:fs'
import process from 'node:process'
import { spawn } from '../../../dist/src/child-process/index.js'

const child = spawn('sh', ['-c', 'setsid sleep 60 & exec sleep 60'], { stdio: 'ignore', detached: true })
child.on('spawn', () => {
  writeSync(1, `${JSON.stringify({ event: 'started', pid: child.pid })}\n`)
  if (process.argv[2] === 'unref') child.unref()
})
