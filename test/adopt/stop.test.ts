// adopt(): a child of the runtime's own spawn is stopped with its tree, and its status stays the runtime's.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adoptChild, adoptTree, childExit, startChild, startersOf } from '../support/adopt.js'
import { expectBounded, expectKilled, expectObeyed, placements } from '../support/foreign.js'
import { useHost } from '../support/host.js'
import { argvOf, descriptorsOf, zombieChildrenOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  describe.each(startersOf(runtime))('%s', (starter) => {
    it.each(placements)('C01: stop() ends a shell with its child, $place', async ({ detached }) => {
      const tree = plantTree('shell-and-child.sh')
      const command = await adoptTree(host(), starter, tree, { detached, budget: 15_000 })
      const child = tree.process('child').pid
      await waitUntil(
        () => argvOf(child)[0] === 'sleep',
        10_000,
        'the child is no copy of the shell any more',
      )
      expect(command.pid).toBe(tree.process('shell').pid)
      expect((await command.processes()).map(({ pid }) => pid).sort()).toEqual([command.pid, child].sort())

      expectObeyed(await command.stop())

      expect(tree.alive()).toEqual([])
      const exit = { code: null, signal: 'SIGTERM' }
      expect(await command.exited()).toEqual(exit)
      expect(await childExit(host())).toEqual(exit)
      expect(await command.processes()).toEqual([])
    })

    it('C38: a deaf shell and its child in another session are killed within the budget', async () => {
      const tree = plantTree('deaf-family.sh')
      const command = await adoptTree(host(), starter, tree)

      expectKilled(await command.stop({ budget: 700 }))

      expect(tree.alive()).toEqual([])
      expect(await childExit(host())).toEqual({ code: null, signal: 'SIGKILL' })
    })

    it('an orphan in a session of its own is known from when it had its parent', async () => {
      const tree = plantTree('fleeing.sh')
      await startChild(host(), starter, [tree.file, ...tree.args], { env: tree.env })
      await waitUntil(() => tree.has('pid.daemon'), 10_000, 'the daemon runs below the child')
      const command = await adoptChild(host(), { budget: 15_000 })
      tree.say('go')
      await tree.ready()

      expectObeyed(await command.stop())

      expect(tree.alive()).toEqual([])
    })

    it('kill() reaches the child and starts no stop', async () => {
      await startChild(host(), starter, ['sh', '-c', 'trap "exit 7" USR1; while :; do sleep 0.02; done'])
      const command = await adoptChild(host())
      await waitUntil(async () => (await command.processes()).length > 1, 10_000, 'the loop has begun')

      expect(await command.kill('SIGUSR1')).toBe(true)

      expect(await command.exited()).toEqual({ code: 7, signal: null })
      expect(await command.settled()).toMatchObject({ outcome: 'empty', reason: 'exit', proof: 'snapshot' })
    })
  })

  it('stopSignal comes first; a shorter budget shortens a running stop', async () => {
    const obedient = plantTree('shell-and-child.sh')
    const hung = await adoptTree(host(), 'child_process', obedient, { stopSignal: 'SIGHUP', budget: 15_000 })
    expectObeyed(await hung.stop())
    expect(await childExit(host())).toEqual({ code: null, signal: 'SIGHUP' })

    const tree = plantTree('deaf-family.sh')
    const command = await adoptTree(host(), 'child_process', tree)
    const slow = command.stop({ budget: 60_000 })
    const fast = await command.stop({ budget: 300 })
    expect(fast.elapsed).toBeLessThan(30_000)
    expect((await slow).elapsed).toBe(fast.elapsed)
    expect(tree.alive()).toEqual([])
  })

  it('G3: the budget holds while the event loop is blocked', async () => {
    const tree = plantTree('deaf-family.sh')
    const command = await adoptTree(host(), 'child_process', tree)
    const release = join(tree.dir, 'release')
    const stopping = host().evaluate(
      ({ commands, fs }, request) => {
        const stop = commands.get(request.handle)!.command.stop({ budget: 400 })
        const began = performance.now()
        while (!fs.existsSync(request.release) && performance.now() - began < 20_000);
        return stop
      },
      { handle: command.handle, release },
      30_000,
    )

    await waitUntil(() => tree.alive().length === 0, 10_000, 'the tree is gone')
    // Only now the host's event loop goes on.
    tree.say('release')

    expectBounded(await stopping, 400)
  })

  it('G9: every status is told by the runtime, of adopted children and of others; nothing stays', async () => {
    const descriptors = descriptorsOf(host().pid).size
    const told = await host().evaluate(async ({ procleash, childProcess }, count) => {
      const codes = Array.from({ length: count }, (_, index) => index)
      const ended = (code: number) => {
        const child = childProcess.spawn('sh', ['-c', `read line; exit ${code}`], {
          stdio: ['pipe', 'ignore', 'ignore'],
        })
        const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
        return { child, exit }
      }
      const children = codes.map(ended)
      const others = codes.map(ended)
      const adopted = await Promise.all(children.map(({ child }) => procleash.adopt(child)))
      for (const { child } of [...children, ...others]) child.stdin.end()
      return {
        ours: (await Promise.all(adopted.map(({ exited }) => exited))).map(({ code }) => code),
        runtime: await Promise.all(children.map(({ exit }) => exit)),
        others: await Promise.all(others.map(({ exit }) => exit)),
        outcomes: (await Promise.all(adopted.map(({ settled }) => settled))).map(({ outcome }) => outcome),
      }
    }, 30)

    const codes = Array.from({ length: 30 }, (_, index) => index)
    expect(told).toEqual({ ours: codes, runtime: codes, others: codes, outcomes: codes.map(() => 'empty') })
    await waitUntil(() => zombieChildrenOf(host().pid).length === 0, 10_000, 'no zombie')
    await waitUntil(
      () => descriptorsOf(host().pid).size <= descriptors + 2,
      10_000,
      () => `no descriptors stay: ${[...descriptorsOf(host().pid).values()]}`,
    )
  })

  it("the child's streams and events stay where they are", async () => {
    const told = await host().evaluate(async ({ procleash, childProcess }) => {
      const child = childProcess.spawn('cat', { stdio: ['pipe', 'pipe', 'inherit'] })
      const command = await procleash.adopt(child)
      let text = ''
      child.stdout.on('data', (data) => {
        text += data
      })
      const closed = new Promise((resolve) => child.once('close', (...values) => resolve(values)))
      child.stdin.end('through')
      return [await closed, text, command.stdin, command.stdout, command.stderr]
    }, null)
    expect(told).toEqual([[0, null], 'through', null, null, null])
  })
})
