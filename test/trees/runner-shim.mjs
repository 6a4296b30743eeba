// C02: a package runner's shim. It is blocked in spawnSync for as long as the real program, a server, runs.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'

const dir = process.env.TREE_DIR
if (process.argv[2] === 'server') {
  const server = createServer().listen(0, '127.0.0.1', () => {
    writeFileSync(`${dir}/pid.server`, String(process.pid))
    writeFileSync(`${dir}/port`, String(server.address().port))
    writeFileSync(`${dir}/ready`, '')
  })
  setTimeout(() => process.exit(0), 60_000)
} else {
  writeFileSync(`${dir}/pid.shim`, String(process.pid))
  spawnSync(process.execPath, [process.argv[1], 'server'], { stdio: 'inherit' })
}
