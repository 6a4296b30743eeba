// The kernel's OOM killer in a cgroup with a limit of memory: whoever it takes, the command, a keeper or the
// host, nothing is left.

import { writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { makeControlled } from '../support/controller.js'
import { guardEachTest } from '../support/guard.js'
import { keeperOf } from '../support/helpers.js'
import { type Host, startHost } from '../support/host.js'
import { isAlive } from '../support/proc.js'
import type { RemoteCommand } from '../support/remote.js'
import { forEachRuntime, forOneRuntime, type Runtime } from '../support/runtimes.js'
import { itNeeds, python } from '../support/tools.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil, within } from '../support/wait.js'

const MIB = 2 ** 20
/** Eats once it is told to: what is offered before is not passed on to it. */
const EAT = 'import time; input(); kept = [bytearray(1 << 20) for _ in range(400)]; time.sleep(60)'

interface Scene {
  readonly host: Host
  readonly tree: Tree
  readonly command: RemoteCommand
  oomKills(): number
}

/** The larger its number, the sooner the kernel takes it: proc_pid_oom_score_adj(5). 1000 goes before any size. */
function offer(pid: number): void {
  writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
}

function spawnEater(host: Host): Promise<RemoteCommand> {
  return host.spawn(python, ['-c', EAT], { stdin: 'pipe' })
}

async function setScene(runtime: Runtime): Promise<Scene> {
  const cgroup = makeControlled('memory')
  const host = await startHost(runtime, { via: cgroup.via })
  const tree = plantTree('deaf-family.sh')
  const command = await host.plant(tree)
  cgroup.limit(cgroup.used() + 128 * MIB)
  return { host, tree, command, oomKills: cgroup.oomKills }
}

forOneRuntime((runtime) => {
  guardEachTest()

  itNeeds(['memory-cgroup'], 'it takes the command', async () => {
    const { host, tree, command, oomKills } = await setScene(runtime)
    const eater = await spawnEater(host)
    offer(eater.pid)
    await eater.write('eat\n')
    expect(await eater.exited()).toEqual({ code: null, signal: 'SIGKILL' })
    expect(await eater.settled()).toMatchObject({ outcome: 'empty', reason: 'exit', proof: 'subreaper' })
    expect(oomKills()).toBe(1)
    expect(tree.alive()).toHaveLength(3)
    expect(await command.stop({ budget: 700 })).toMatchObject({ outcome: 'empty', reason: 'stop' })
  })

  itNeeds(['memory-cgroup'], 'it takes a keeper', async () => {
    const { host, tree, command, oomKills } = await setScene(runtime)
    const keeper = keeperOf(command.pid)
    const eater = await spawnEater(host)
    offer(keeper.pid)
    await eater.write('eat\n')
    expect(await command.settled()).toMatchObject({ outcome: 'empty', reason: 'supervisor-lost' })
    expect(tree.alive()).toEqual([])
    expect(isAlive(keeper)).toBe(false)
    // That gave it little: next comes who has most.
    expect(await eater.exited()).toEqual({ code: null, signal: 'SIGKILL' })
    expect(oomKills()).toBe(2)
    expect(await (await host.spawn('true')).exited()).toEqual({ code: 0, signal: null })
  })
})

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(['memory-cgroup'], 'it takes the host', async () => {
    const { host, tree } = await setScene(runtime)
    const eater = await spawnEater(host)
    offer(host.pid)
    await eater.write('eat\n')
    expect(await within(host.ended, 10_000, 'the host is taken')).toMatchObject({ signal: 'SIGKILL' })
    await waitUntil(
      () => tree.alive().length === 0,
      3000,
      () => `gone: ${tree.alive()}`,
    )
  })
})
