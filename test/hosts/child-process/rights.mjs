// Prints the user and group id of a command that is started as the user whose number is the argument.

import process from 'node:process'
import { spawn } from '../../../dist/src/child-process/index.js'

const id = Number(process.argv[2])
const child = spawn('sh', ['-c', 'echo $(id -u) $(id -g)'], { uid: id, gid: id, noNewPrivileges: true })
child.stdout.pipe(process.stdout)
