// C41: starts a command and SIGKILLs itself in the same tick, `spawn-and-die.mjs <folder> <microseconds in between>`.

import process from 'node:process'
import { spawn } from '../../dist/src/index.js'

const [folder, delay] = process.argv.slice(2)
void spawn('bash', ['-c', 'echo $$ >"$1/pid"; exec sleep 60', 'bash', folder])
for (const end = performance.now() + Number(delay) / 1000; performance.now() < end; );
process.kill(process.pid, 'SIGKILL')
