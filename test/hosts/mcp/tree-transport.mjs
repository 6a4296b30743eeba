// A transport of the MCP SDK that starts its server through procleash: what is behind a runner (npx, uvx, a shell) ends
// with it. docs/child-process.md shows this file.

import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import { spawn } from 'procleash/child-process'

/** Takes the parameters of StdioClientTransport, and the milliseconds that a server has for ending by itself. */
export class TreeTransport {
  #server
  #patience
  #child
  #received = new ReadBuffer()

  constructor(server, patience = 2000) {
    this.#server = server
    this.#patience = patience
  }

  async start() {
    const { command, args = [], env, cwd, stderr = 'inherit' } = this.#server
    const child = spawn(command, args, {
      env: { ...getDefaultEnvironment(), ...env },
      cwd,
      stdio: ['pipe', 'pipe', stderr],
    })
    this.#child = child
    child.stdin.on('error', (error) => this.onerror?.(error))
    child.stdout.on('error', (error) => this.onerror?.(error))
    child.stdout.on('data', (bytes) => this.#receive(bytes))
    child.once('close', () => this.onclose?.())
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve)
      child.on('error', (error) => {
        reject(error)
        this.onerror?.(error)
      })
    })
  }

  send(message) {
    const { stdin } = this.#child
    return new Promise((resolve) => {
      if (stdin.write(serializeMessage(message))) resolve()
      else stdin.once('drain', resolve)
    })
  }

  /** Resolves once nothing of the server is left, or with the survivors named in the settlement. */
  async close() {
    const child = this.#child
    if (child === undefined) return undefined
    child.stdin.end()
    const patience = new Promise((resolve) => setTimeout(resolve, this.#patience).unref())
    await Promise.race([child.settled, patience])
    this.#received.clear()
    return child.stop()
  }

  get pid() {
    return this.#child?.pid ?? null
  }

  #receive(bytes) {
    try {
      this.#received.append(bytes)
      for (let message = this.#received.readMessage(); message !== null; ) {
        this.onmessage?.(message)
        message = this.#received.readMessage()
      }
    } catch (error) {
      this.onerror?.(error)
    }
  }
}
