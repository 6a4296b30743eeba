// A host with a terminal: `terminal.mjs <part> <python> <tree program>`. What it has to tell, it prints.

import process from 'node:process'
import { run, spawn } from '../../dist/src/index.js'

const [part, python, program] = process.argv.slice(2)

const parts = {
  /** C23: a shell with job control, which would want the terminal for itself. */
  async 'job-shell'() {
    // What a user's ~/.bashrc does is nobody's business here.
    const { code, signal } = await run('bash', ['--norc', '-ic', 'true'])
    console.log(`job-shell: ${JSON.stringify({ code, signal })}`)
  },
  /** C49: passes SIGINT on. */
  async forward() {
    const starting = spawn(python, [program], { stdout: 'inherit' })
    process.on('SIGINT', async () => (await starting).kill('SIGINT'))
    await (await starting).settled
  },
  /** C50: a command that would ask on the terminal, and a host that reads a line from it. */
  async prompt() {
    const ask = 'try: open("/dev/tty")\nexcept OSError as error: print("errno", error.errno)'
    const { stdout } = await run(python, ['-c', ask])
    console.log(stdout.trim())
    const line = await new Promise((resolve) => {
      process.stdin.setEncoding('utf8')
      process.stdin.once('data', resolve)
      console.log('your line:')
    })
    console.log(`host got ${line.trim()}`)
    process.exit(0)
  },
}

await parts[part]()
