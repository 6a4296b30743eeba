// A real MCP server (the SDK's own) behind a package runner that is blocked in spawnSync, as npx is. `obedient` ends at
// the end of its input; `stubborn` neither does that nor obeys SIGTERM, and has a helper in a session of its own.
// Bounded: 60 s.

import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

const dir = process.env.TREE_DIR
const [mode, role] = process.argv.slice(2)

function note(name, pid) {
  writeFileSync(`${dir}/pid.${name}`, String(pid))
}

async function serve() {
  setTimeout(() => process.exit(0), 60_000).unref()
  if (mode === 'stubborn') {
    process.on('SIGTERM', () => {})
    setInterval(() => {}, 1000)
    setTimeout(() => process.exit(0), 60_000)
    const helper = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    note('helper', helper.pid)
  }
  const server = new McpServer({ name: 'adder', version: '1.0.0' })
  server.registerTool('add', { description: 'Adds two numbers: given in the request' }, () => ({
    content: [{ type: 'text', text: 'five' }],
  }))
  await server.connect(new StdioServerTransport())
  note('server', process.pid)
  writeFileSync(`${dir}/ready`, '')
}

if (role === 'server') await serve()
else {
  note('runner', process.pid)
  spawnSync(process.execPath, [process.argv[1], mode, 'server'], { stdio: 'inherit' })
}
