// An agent behind an adapter, in the middle of a tool call. `chain`: adapter -> agent -> shell in a session of its own
// -> server. `flat`: each tool in a group of its own right below the adapter, one of them deaf to SIGTERM.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const dir = process.env.TREE_DIR
const file = fileURLToPath(import.meta.url)
const [, , role] = process.argv

const start = (command, args, detached) => spawn(command, args, { detached, stdio: 'ignore' })
const startRole = (name, detached) => start(process.execPath, [file, name], detached)
const startShell = (script, ...args) => start('bash', ['-c', script, 'bash', ...args], true)

const stay = () => {
  writeFileSync(`${dir}/pid.${role === 'chain' || role === 'flat' ? 'adapter' : role}`, String(process.pid))
  setTimeout(() => process.exit(0), 60_000)
}

/** A file is there a moment before its content is. */
const isNoted = (name) => existsSync(`${dir}/pid.${name}`) && readFileSync(`${dir}/pid.${name}`).length > 0

/** The shape stands once each of them has written down its number. */
const readyWith = (...names) => {
  const timer = setInterval(() => {
    if (!['adapter', ...names].every(isNoted)) return
    clearInterval(timer)
    writeFileSync(`${dir}/ready`, '')
  }, 5)
}

const serve = () => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    writeFileSync(`${dir}/port`, String(server.address().port))
    stay()
  })
}

const roles = {
  chain() {
    stay()
    startRole('agent', false)
    readyWith('agent', 'shell', 'server')
  },
  agent() {
    stay()
    startShell('echo $$ >"$TREE_DIR/pid.shell"; "$@"; true', process.execPath, file, 'server')
  },
  flat() {
    stay()
    startRole('server', true)
    startShell('echo $$ >"$TREE_DIR/pid.shell"; sleep 60 & echo $! >"$TREE_DIR/pid.job"; wait')
    startShell('trap "" TERM; echo $$ >"$TREE_DIR/pid.deaf"; while [ -d "$TREE_DIR" ]; do sleep 0.1; done')
    readyWith('server', 'shell', 'job', 'deaf')
  },
  server: serve,
}
roles[role]()
