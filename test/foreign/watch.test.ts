// watchTree: what was recorded is stopped although its parents were killed; by polling and by the kernel's events.

import { describe, expect, it } from 'vitest'
import { canListen } from '../support/expect.js'
import { expectBounded, stopForeign } from '../support/foreign.js'
import { endLeftProcesses, leftProcesses } from '../support/guard.js'
import { useHost } from '../support/host.js'
import { naiveSpawn } from '../support/naive.js'
import { descriptorsOf, endProcess, isAlive, stateOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { plantTree, type Tree } from '../support/tree.js'
import { staysTheSame, waitUntil } from '../support/wait.js'
import { expectRecordedGone, recordings, startWatch } from '../support/watch.js'

const shapes = [
  { shape: 'chain', roles: ['adapter', 'agent', 'server', 'shell'] },
  { shape: 'flat', roles: ['adapter', 'deaf', 'job', 'server', 'shell'] },
] as const

/** SIGKILL to the adapter, by number and start time, in the middle of a tool call. */
const killAdapter = (tree: Tree) => endProcess(tree.process('adapter'))

forEachRuntime((runtime) => {
  describe.each(recordings)('recorded by $way', ({ way, env }) => {
    const host = useHost(runtime, { env })

    it.each(shapes)('$shape: the adapter is killed, and its tools are stopped', async ({ shape, roles }) => {
      const tree = plantTree('adapter.mjs', shape)
      const pid = await naiveSpawn(host(), tree)
      const watch = await startWatch(host(), pid)
      expect(watch).toMatchObject({ ...tree.process('adapter'), recording: way })
      expect(watch.mayMiss).not.toBe('')
      await watch.knows(tree)
      expect(tree.alive().sort()).toEqual(roles)

      killAdapter(tree)
      await watch.exited()
      const settlement = await watch.settled()

      expect(tree.alive()).toEqual([])
      expectRecordedGone(settlement, 'exit')
      expectBounded(settlement)
      expect(settlement.escalated).toBe(shape === 'flat')
      expect(settlement.ended.map((process) => process.pid)).toEqual(
        expect.arrayContaining(roles.map((role) => tree.process(role).pid)),
      )
      expect(await canListen(Number(tree.read('port')))).toBe(true)
    })

    it('stops everything when asked, each with one first signal, and leaves the status to the runtime', async () => {
      const tree = plantTree('slow-but-graceful.py')
      const pid = await naiveSpawn(host(), tree, { detached: true })
      const watch = await startWatch(host(), pid, { budget: 15_000 })
      await watch.knows(tree)

      const settlement = await watch.stop()

      expectRecordedGone(settlement, 'stop')
      expect(settlement.escalated).toBe(false)
      expect([tree.read('terms.child'), tree.read('terms.leader')]).toEqual(['TERM', 'TERM'])
      expect(await watch.stop()).toEqual(settlement)
      expect(await watch.processes()).toEqual([])
    })

    it('knows orphans in sessions of their own, and shows how each has escaped', async () => {
      const tree = plantTree('adapter.mjs', 'chain')
      const watch = await startWatch(host(), await naiveSpawn(host(), tree), {
        budget: 700,
        leftovers: 'keep',
      })
      await watch.knows(tree)
      killAdapter(tree)
      await watch.exited()
      endProcess(tree.process('agent'))
      await waitUntil(() => !isAlive(tree.process('agent')), 10_000, 'the agent is gone')

      expect(tree.alive().sort()).toEqual(['server', 'shell'])
      const found = await watch.processes()
      expect(found).toContainEqual(
        expect.objectContaining({ ...tree.process('shell'), escaped: 'session', argv: expect.anything() }),
      )
      const settlement = await watch.stop()
      expectRecordedGone(settlement, 'stop')
      expect(tree.alive()).toEqual([])
    })

    it('release leaves the tree alone', async () => {
      const tree = plantTree('own-session.sh')
      const pid = await naiveSpawn(host(), tree)
      const watch = await startWatch(host(), pid)
      await watch.release()
      expect([await watch.settled(), await watch.stop()]).toEqual([null, null])
      await waitUntil(() => watchersOf(host().pid).length === 0, 10_000, 'the watcher is gone')
      expect(tree.alive().sort()).toEqual(['session', 'shell'])
      expect(await watch.processes()).toEqual([])
      await stopForeign(host(), pid)
    })

    it('settles when nothing is left, without having sent anything', async () => {
      const pid = await host().evaluate(
        ({ childProcess }) =>
          childProcess.spawn('bash', ['-c', 'sleep 0.3; exit 7'], { stdio: 'ignore' }).pid!,
        null,
      )
      const watch = await startWatch(host(), pid)
      const settlement = await watch.settled()
      expectRecordedGone(settlement, 'exit')
      expect(settlement.escalated).toBe(false)
    })

    it('G9: leaves no process, descriptor or live handle behind', async () => {
      const watchOne = async () => {
        const tree = plantTree('own-session.sh')
        const watch = await startWatch(host(), await naiveSpawn(host(), tree))
        await watch.knows(tree)
        expectRecordedGone(await watch.stop(), 'stop')
      }
      await watchOne()
      await waitUntil(() => watchersOf(host().pid).length === 0, 10_000, 'the watcher is gone')
      const before = descriptorsOf(host().pid).size
      for (let round = 0; round < 3; round += 1) await watchOne()
      await waitUntil(() => watchersOf(host().pid).length === 0, 10_000, 'the watchers are gone')
      // One that the runtime opens for a moment is no leak.
      const noMore = () => descriptorsOf(host().pid).size <= before
      await waitUntil(noMore, 5000, 'as many descriptors as before')
    })
  })

  describe('by events', () => {
    const host = useHost(runtime)

    for (const [title, program, args, roles] of [
      ['C10: a daemon', 'double-fork-daemon.py', [], ['daemon', 'leader']],
      ['C11: a daemon without any mark', 'double-fork-daemon.py', ['unmarked'], ['daemon', 'leader']],
      [
        "orphans in the host's group",
        'orphans.sh',
        [],
        ['below-session', 'leader', 'own-group', 'same-group', 'session'],
      ],
    ] as const) {
      itNeeds(['process-events'], `stops ${title}, which left while it was recorded`, async () => {
        const { tree, watch } = await watchFromTheStart(program, args)
        expect(tree.alive().sort()).toEqual(roles)
        const settlement = await watch.stop({ budget: 15_000 })
        expectRecordedGone(settlement, 'stop')
        expect(tree.alive()).toEqual([])
      })
    }

    itNeeds(
      ['process-events'],
      'C13: kills a lineage that is a new process in a new session every 5 ms',
      async () => {
        const { tree, watch } = await watchFromTheStart('hopper.py', [])
        expect(await staysTheSame(() => tree.read('pid.hopper'), 2000)).toBe(false)
        const settlement = await watch.stop({ budget: 700 })
        expectRecordedGone(settlement, 'stop')
        expect(await staysTheSame(() => tree.read('pid.hopper'), 200)).toBe(true)
      },
    )

    /** The program begins only when the recording has. */
    async function watchFromTheStart(program: string, args: readonly string[]) {
      const tree = plantTree(program, ...args)
      const script = 'until [ -e "$TREE_DIR/go" ]; do sleep 0.01; done; exec "$@"'
      const pid = await host().evaluate(
        ({ childProcess, process }, { argv, env }) =>
          childProcess.spawn('bash', argv, { env: { ...process.env, ...env }, stdio: 'ignore' }).pid!,
        { argv: ['-c', script, 'bash', tree.file, ...tree.args], env: tree.env },
      )
      const watch = await startWatch(host(), pid)
      await host().evaluate(({ fs }, path) => fs.writeFileSync(path, ''), `${tree.dir}/go`)
      await tree.ready()
      return { tree, watch }
    }
  })

  describe('without a record', () => {
    const host = useHost(runtime)

    it("control: once the adapter is killed, its tools can't be named any more", async () => {
      const tree = plantTree('adapter.mjs', 'chain')
      const pid = await naiveSpawn(host(), tree)
      killAdapter(tree)
      await waitUntil(
        () => stateOf(tree.process('adapter')) === undefined,
        10_000,
        'the runtime has reaped it',
      )
      await expect(stopForeign(host(), pid)).rejects.toMatchObject({ code: 'ESRCH' })
      expect(tree.alive().sort()).toEqual(['agent', 'server', 'shell'])
      await endLeftProcesses()
    })
  })
})

function watchersOf(hostPid: number) {
  return leftProcesses().filter((stat) => stat.pid !== hostPid && stat.comm === 'procleash-watch')
}
