// An MCP host: connects to a server behind a runner, calls its tool, closes, and lives on. `ours` uses the transport
// of the docs, `sdk` the SDK's own.

import process from 'node:process'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { TreeTransport } from './tree-transport.mjs'

const [which, command, script, mode, patience] = process.argv.slice(2)
const server = { command, args: [script, mode], env: { ...process.env }, stderr: 'ignore' }
const transport =
  which === 'ours' ? new TreeTransport(server, Number(patience)) : new StdioClientTransport(server)

function say(event, details) {
  process.stdout.write(`${JSON.stringify({ event, ...details })}\n`)
}

const client = new Client({ name: 'host', version: '1.0.0' })
await client.connect(transport)
const { tools } = await client.listTools()
const { content } = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })
say('called', { tools: tools.map(({ name }) => name), text: content[0].text, pid: typeof transport.pid })

// The test says when.
process.stdin.once('data', async () => {
  // The SDK's client drops what the transport's close() gives.
  const settlement = await transport.close()
  await client.close()
  say('closed', { outcome: settlement?.outcome, reason: settlement?.reason })
})
process.stdin.once('end', () => process.exit(0))
