// What a release can't end: named in its summary, and in sight of the owner above until it has ended.

import { expect } from 'vitest'
import { seenAs } from '../support/grade.js'
import { guardEachTest, remember } from '../support/guard.js'
import { startOwnerHost } from '../support/owners.js'
import { descendantsOf, endProcess, statusOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { plantSetuid } from '../support/setuid.js'
import { itNeeds } from '../support/tools.js'
import { NOBODY } from '../support/user.js'
import { waitFor } from '../support/wait.js'

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(
    ['root', 'setpriv'],
    'names survivors, and keeps their trees listed until they have ended',
    async () => {
      const setuid = plantSetuid()
      const host = await startOwnerHost(runtime, { user: NOBODY })
      const command = await host.evaluate(async ({ procleash }, path) => {
        const session = procleash.createOwner('session')
        const turn = session.child('turn')
        Object.assign(extras.owners, { session, turn })
        const script = '"$1" --reuid 0 --regid 0 --clear-groups sleep 60 & wait'
        const started = await turn.spawn('bash', ['-c', script, 'bash', path])
        return { id: started.id, pid: started.pid }
      }, setuid)
      const root = await waitFor(
        () => descendantsOf(command.pid).find(({ comm, pid }) => comm === 'sleep' && isRoot(pid)),
        5000,
        'the child has become root',
      )
      remember(root)

      const told = await host.evaluate(async () => {
        const { session, turn } = extras.owners
        const release = await turn!.release({ budget: 300 })
        const again = session!.child('turn')
        await again.release()
        return {
          release,
          above: await session!.list(),
          itself: await turn!.list(),
          unfinished: session!.unfinished(),
        }
      }, null)

      expect(told.release).toMatchObject({ outcome: 'survivors', owner: ['session', 'turn'] })
      expect(told.release.trees[0]?.settlement.survivors).toEqual([
        expect.objectContaining({ ...seenAs(root), reason: 'permission' }),
      ])
      const entry = expect.objectContaining({ id: command.id, state: 'survivors', processes: null })
      expect(told.above).toEqual([entry])
      expect(told.itself).toEqual([entry])
      expect(told.unfinished).toBe(false)

      endProcess(root)
      const after = await host.evaluate(async () => {
        const { session, turn } = extras.owners
        while ((await session!.list()).length > 0) await extras.delay(5)
        return { itself: await extras.codeOf(() => turn!.list()), release: await session!.release() }
      }, null)
      expect(after).toMatchObject({
        itself: 'OwnerReleasedError ERR_PROCLEASH_OWNER_RELEASED',
        release: { outcome: 'empty', trees: [] },
      })
      await host.close()
    },
  )
})

function isRoot(pid: number): boolean {
  try {
    return statusOf(pid, 'Uid').startsWith('0\t0')
  } catch {
    return false
  }
}
