// The real MCP SDK over procleash/child-process: a client's close() leaves nothing of a server behind a runner, seen
// from outside. The control, the SDK's own transport, leaves the server and its helper.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { withPackages } from '../support/owners.js'
import { chosenRuntimes, forEachRuntime, type Runtime } from '../support/runtimes.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

/** Milliseconds: far more than it needs, and what the test waits for. */
const patience = { obedient: 30_000, stubborn: 200 } as const

interface Connected {
  readonly host: Host
  readonly tree: Tree
}

/** A host that has called the server's tool. */
async function connect(
  runtime: Runtime,
  transport: 'ours' | 'sdk',
  mode: 'obedient' | 'stubborn',
): Promise<Connected> {
  const tree = plantTree('mcp-runner.mjs', mode)
  const [script] = tree.args
  const host = await startHost(withPackages(runtime), {
    program: 'mcp/client.mjs',
    args: [transport, tree.file, script!, mode, String(patience[mode])],
    env: tree.env,
  })
  const called = await host.event('called')
  expect(called).toMatchObject({ tools: ['add'], text: 'five', pid: 'number' })
  await tree.ready()
  return { host, tree }
}

async function close({ host }: Connected): Promise<unknown> {
  host.say('close')
  return host.event('closed')
}

forEachRuntime((runtime) => {
  guardEachTest()

  it('close() leaves nothing of a server that obeys, and waits for nothing', async () => {
    const connected = await connect(runtime, 'ours', 'obedient')
    // By itself: its patience was not waited out.
    expect(await close(connected)).toMatchObject({ outcome: 'empty', reason: 'exit' })
    expect(connected.tree.alive()).toEqual([])
  })

  it('close() leaves nothing of a stubborn server and its helper', async () => {
    const connected = await connect(runtime, 'ours', 'stubborn')
    expect(connected.tree.alive().sort()).toEqual(['helper', 'runner', 'server'])
    expect(await close(connected)).toMatchObject({ outcome: 'empty', reason: 'stop' })
    expect(connected.tree.alive()).toEqual([])
  })

  it('a host that is killed leaves nothing either', async () => {
    const { host, tree } = await connect(runtime, 'ours', 'stubborn')
    host.kill('SIGKILL')
    await host.ended
    await waitUntil(
      () => tree.alive().length === 0,
      10_000,
      () => `gone: ${tree.alive()}`,
    )
  })
})

describe('the control', () => {
  guardEachTest()

  // In one runtime: the transport is not ours, and takes four seconds.
  it("the SDK's own transport leaves the server and its helper", async () => {
    const [runtime] = chosenRuntimes()
    const connected = await connect(runtime!, 'sdk', 'stubborn')
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
