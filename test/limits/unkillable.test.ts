// What not even SIGKILL ends is named, not called stopped, and not waited for for ever.

import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import { seenAs } from '../support/grade.js'
import { useHost } from '../support/host.js'
import { isAlive, readStat } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  itNeeds(['root', 'freezer'], 'C25: names a process in state D, within the budget and a bound', async () => {
    const tree = plantTree('shell-and-child.sh')
    const command = await host().plant(tree)
    const child = tree.process('child')
    await waitUntil(() => readStat(child.pid)?.comm === 'sleep', 10_000, 'the child is sleep')
    const freezer = `/sys/fs/cgroup/freezer/procleash-test-${host().mark}`
    mkdirSync(freezer)
    onTestFinished(() => rmdirSync(freezer))
    const freeze = (state: 'FROZEN' | 'THAWED') => writeFileSync(`${freezer}/freezer.state`, state)
    writeFileSync(`${freezer}/cgroup.procs`, String(child.pid))
    freeze('FROZEN')
    try {
      await waitUntil(
        () => readFileSync(`${freezer}/freezer.state`, 'utf8').trim() === 'FROZEN',
        2000,
        'the child is frozen',
      )
      const asked = performance.now()

      const settlement = await command.stop({ budget: 700 })

      expect(performance.now() - asked).toBeLessThan(700 + 2000)
      expect(settlement).toMatchObject({ outcome: 'survivors', reason: 'stop', escalated: true })
      expect(settlement.survivors).toEqual([
        { ...seenAs(child), argv: ['sleep', '60'], state: 'D', reason: 'uninterruptible' },
      ])
      expect(tree.alive()).toEqual(['child'])
      // Still named when asked again, not forgotten.
      expect(await command.stop()).toMatchObject({ outcome: 'survivors' })
    } finally {
      freeze('THAWED')
    }
    await waitUntil(() => !isAlive(child), 2000, 'once thawed, it dies of the SIGKILL that it was sent')
    await waitUntil(() => readStat(child.pid) === undefined, 2000, 'and is reaped')
  })
})
