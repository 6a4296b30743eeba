// The real MCP SDK over procleash/child-process: a client's close() leaves nothing of a server behind a runner, seen
// from outside. The control, the SDK's own transport, leaves the server and its helper.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { forEachRuntime, type Runtime } from '../support/runtimes.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'
import { withPackages } from './packages.js'

interface Connected {
  readonly host: Host
  readonly tree: Tree
}

/** A host that has called the server's tool. */
async function connect(runtime: Runtime, transport: 'ours' | 'sdk', mode: string): Promise<Connected> {
  const tree = plantTree('mcp-runner.mjs', mode)
  const [script] = tree.args
  const host = await startHost(withPackages(runtime), {
    program: 'mcp/client.mjs',
    args: [transport, tree.file, script!, mode],
    env: tree.env,
  })
  const called = await host.event('called')
  expect(called).toMatchObject({ tools: ['add'], text: 'five', pid: 'number' })
  await tree.ready()
  return { host, tree }
}

async function close({ host }: Connected): Promise<number> {
  host.say('close')
  return Number((await host.event('closed')).took)
}

forEachRuntime((runtime) => {
  guardEachTest()

  it('close() leaves nothing of a server that obeys, and waits for nothing', async () => {
    const connected = await connect(runtime, 'ours', 'obedient')
    expect(await close(connected)).toBeLessThan(1900)
    expect(connected.tree.alive()).toEqual([])
  })

  it('close() leaves nothing of a stubborn server and its helper', async () => {
    const connected = await connect(runtime, 'ours', 'stubborn')
    expect(connected.tree.alive().sort()).toEqual(['helper', 'runner', 'server'])
    // Two seconds of patience, and the budget.
    expect(await close(connected)).toBeLessThan(3000)
    expect(connected.tree.alive()).toEqual([])
  })

  it('a host that is killed leaves nothing either', async () => {
    const { host, tree } = await connect(runtime, 'ours', 'stubborn')
    host.kill('SIGKILL')
    await host.ended
    await waitUntil(
      () => tree.alive().length === 0,
      1500,
      () => `gone: ${tree.alive()}`,
    )
  })

  it("the control: the SDK's own transport leaves the server and its helper", async () => {
    const connected = await connect(runtime, 'sdk', 'stubborn')
    await close(connected)
    const left = connected.tree.alive().sort()
    await endLeftProcesses()
    expect(left).toEqual(['helper', 'server'])
  })
})

it('the docs show the transport that is tested', () => {
  const root = new URL('../../', import.meta.url).pathname
  const source = readFileSync(join(root, 'test/hosts/mcp/tree-transport.mjs'), 'utf8')
  const code = source.slice(source.indexOf('import '))
  expect(readFileSync(join(root, 'docs/child-process.md'), 'utf8')).toContain(code.trimEnd())
})
