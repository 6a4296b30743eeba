// C45: shaped like an MCP server behind a package runner. The server doesn't act on the end of its input, swallows
// write errors by catch-all handlers, and goes on writing. Bounded: 40 s.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const dir = process.env.TREE_DIR
if (process.argv[2] === 'server') {
  let errors = 0
  process.on('uncaughtException', () => {
    errors += 1
  })
  process.stdout.on('error', () => {
    errors += 1
  })
  process.stdin.resume()
  setInterval(() => {
    process.stdout.write('{"jsonrpc":"2.0","method":"notifications/ping"}\n')
    writeFileSync(`${dir}/beat`, `${Date.now()} ${errors}`)
  }, 20)
  setTimeout(() => process.exit(0), 40_000)
  writeFileSync(`${dir}/pid.server`, String(process.pid))
  writeFileSync(`${dir}/ready`, '')
} else {
  writeFileSync(`${dir}/pid.runner`, String(process.pid))
  const server = spawn(process.execPath, [process.argv[1], 'server'], { stdio: 'inherit' })
  server.on('exit', (code) => process.exit(code ?? 1))
}
