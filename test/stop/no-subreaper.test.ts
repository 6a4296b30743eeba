// A kernel or an emulator that refuses PR_SET_CHILD_SUBREAPER: what is not known is not claimed.

import { expect, it } from 'vitest'
import { useHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantTree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime, { env: { PROCLEASH_DISABLE: 'subreaper' } })

  it('a tree whose orphans went to somebody else is not called empty, and the grade says so', async () => {
    const tree = plantTree('shell-and-child.sh')
    const command = await host().plant(tree)
    expect(await command.stop()).toMatchObject({ outcome: 'survivors', survivors: [], proof: 'none' })
    // The shell's orphan had the signal, and is somebody else's to wait for.
    await waitUntil(() => tree.alive().length === 0, 5000, 'the signalled ones end')

    const { grade, subreaper, reasons } = await host().evaluate(
      ({ procleash }) => procleash.capabilities(),
      null,
    )
    expect({ grade, subreaper }).toEqual({ grade: 'group', subreaper: false })
    expect(reasons.join()).toContain('PR_SET_CHILD_SUBREAPER')
  })

  it('who requires the proof gets no command', async () => {
    const refused = host().spawn('true', [], { require: 'tree' })
    await expect(refused).rejects.toMatchObject({ className: 'GradeError' })
  })
})
