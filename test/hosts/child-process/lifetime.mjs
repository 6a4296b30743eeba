// A host with one child that would run for a minute. `hold` keeps it and does nothing; `unref` lets the loop end.

import process from 'node:process'
import { spawn } from '../../../dist/src/child-process/index.js'
import { say } from '../lines.mjs'

const child = spawn('sh', ['-c', 'setsid sleep 60 & exec sleep 60'], { stdio: 'ignore', detached: true })
child.on('spawn', () => {
  say('started', { pid: child.pid })
  if (process.argv[2] === 'unref') child.unref()
})
