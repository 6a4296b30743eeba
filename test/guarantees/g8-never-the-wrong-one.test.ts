// G8: a signal goes only to what was proved ours: never to the host, its group, its ancestors or another tree.

import { expect, it } from 'vitest'
import { endLeftProcesses, guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { endProcess, identify, isAlive, type ProcessId, readStat } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

/** In the host's own group and session, where a signal to group 0 or to the host's group would land. */
async function startBystander(host: Host): Promise<ProcessId> {
  const pid = await host.evaluate(
    ({ childProcess }) => childProcess.spawn('sleep', ['60'], { stdio: 'ignore' }).pid!,
    null,
  )
  const bystander = identify(pid)
  // Bun's and Deno's child is in the host's group as Node's is; if not, this would see nothing.
  expect(readStat(pid)!.pgid).toBe(readStat(host.pid)!.pgid)
  return bystander
}

/** Who was hit of those that have nothing to do with it. */
function hitOf(watched: Readonly<Record<string, ProcessId>>): string[] {
  return Object.entries(watched)
    .filter(([, id]) => !isAlive(id))
    .map(([name]) => name)
}

forEachRuntime((runtime) => {
  guardEachTest()

  it('stops of every kind hit nobody else', async () => {
    const host = await startHost(runtime)
    const bystander = await startBystander(host)
    const other = await host.spawn('sleep', ['60'])
    const watched = { host, bystander, other: other.id() }

    const scripts = [
      'kill 0; sleep 60',
      'kill -- -$$; sleep 60',
      'kill $PPID; sleep 60',
      'exit 0',
      'sleep 60 & exit 0',
    ]
    for (const script of scripts) {
      const command = await host.spawn('bash', ['-c', script])
      await Promise.all([command.kill('SIGTERM'), command.stop(), command.stop({ budget: 0 })])
      // By now the number may belong to somebody else.
      expect(await command.kill('SIGKILL')).toBe(false)
      await command.stop()
    }
    const tree = plantTree('deaf-family.sh')
    const command = await host.plant(tree)
    await command.stop({ budget: 300 })

    expect(hitOf(watched)).toEqual([])
    await other.stop()
    endProcess(bystander)
  })

  it("a command's parent is the keeper, in no group and session of the host", async () => {
    const host = await startHost(runtime)
    const command = await host.spawn('sleep', ['60'])
    const parent = readStat(readStat(command.pid)!.ppid)!
    const own = readStat(host.pid)!
    expect(parent.pid).not.toBe(host.pid)
    expect([parent.pgid, parent.sid]).not.toContain(own.pgid)
    expect([parent.pgid, parent.sid]).not.toContain(own.sid)
    await command.stop()
  })

  it('control: a stop by the group of a child that leads none hits the host and its bystander', async () => {
    const host = await startHost(runtime)
    const bystander = await startBystander(host)
    const watched = { host, bystander }
    await host.evaluate(({ childProcess, process }) => {
      childProcess.spawn('sleep', ['61'], { stdio: 'ignore' })
      // What "kill the child's group" comes to.
      setTimeout(() => process.kill(0, 'SIGKILL'), 0)
    }, null)
    await waitUntil(() => hitOf(watched).length > 0, 3000, 'somebody was hit')
    await host.ended
    expect(hitOf(watched)).toContain('host')
    await endLeftProcesses()
  })
})
