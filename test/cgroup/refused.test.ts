// Where no cgroup can be had, `require: 'cgroup'` starts nothing and says why, with the fix; where one is delegated to
// an ordinary user, that user has the grade.

import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Capabilities } from '../../src/types.js'
import { makeCgroup, type TestCgroup } from '../support/cgroup.js'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost } from '../support/host.js'
import { childrenOf } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'

const NOBODY = 65_534
/** Also in a suite that runs without cgroups: it is another reason that is asked for. */
const turnedOn = { PROCLEASH_DISABLE: '' }

/** As the kernel's admin-guide/cgroup-v2, "Delegation", says. */
function delegate({ path }: TestCgroup): void {
  for (const name of ['', 'cgroup.procs', 'cgroup.subtree_control', 'cgroup.threads']) {
    chownSync(join(path, name), NOBODY, NOBODY)
  }
}

async function expectRefusal(host: Host, reason: RegExp, fix: RegExp): Promise<void> {
  const found = await host.evaluate(({ procleash }): Capabilities => procleash.capabilities(), null)
  expect(found).toMatchObject({ grade: 'tree', strongest: 'tree', cgroup: { usable: false, limits: [] } })
  expect(found.cgroup.reason).toMatch(reason)
  expect(found.cgroup.fix).toMatch(fix)
  expect(found.reasons).toEqual([`cgroup: ${found.cgroup.reason}`])
  for (const options of [{ require: 'cgroup' }, { limits: { processes: 10 } }] as const) {
    const refused = host.spawn('sleep', ['60'], options)
    await expect(refused).rejects.toMatchObject({ className: 'GradeError', code: 'ERR_PROCLEASH_GRADE' })
    await expect(refused).rejects.toThrow(reason)
    await expect(refused).rejects.toThrow(fix)
  }
  // Not even a supervisor.
  expect(childrenOf(host.pid)).toEqual([])
  const command = await host.spawn('sleep', ['60'], { require: 'tree' })
  expect(await command.stop()).toMatchObject({ outcome: 'empty', proof: 'subreaper' })
}

forEachRuntime((runtime) => {
  guardEachTest()

  it('turned off', async () => {
    const host = await startHost(runtime, { env: { PROCLEASH_DISABLE: 'cgroup' } })
    await expectRefusal(host, /turned off by PROCLEASH_DISABLE/, /Unset it/)
  })

  it('a folder that is no cgroup', async () => {
    const env = { ...turnedOn, PROCLEASH_CGROUP: '/nowhere' }
    const host = await startHost(runtime, { env })
    await expectRefusal(host, /\/nowhere is no folder of a cgroup2 file system/, /Correct PROCLEASH_CGROUP/)
  })

  itNeeds(['root', 'setpriv'], 'a user who may not write there', async () => {
    const host = await startHost(runtime, { user: NOBODY, env: turnedOn })
    await expectRefusal(
      host,
      /may not be written to|not below|no cgroup2|read-only/,
      /Delegate=yes|PROCLEASH_CGROUP|[Mm]ount/,
    )
  })

  itNeeds(['root', 'cgroup'], 'a file system that is mounted read-only', async () => {
    const cgroup = makeCgroup()
    const readOnly = `mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"`
    const host = await startHost(runtime, {
      via: ['unshare', '--mount', 'sh', '-c', readOnly, cgroup.path],
      env: { PROCLEASH_CGROUP: cgroup.path },
    })
    await expectRefusal(host, /is mounted read-only/, /--cgroupns=private/)
  })

  itNeeds(['root', 'setpriv', 'cgroup'], 'delegated to an ordinary user: all is as for root', async () => {
    const cgroup = makeCgroup()
    delegate(cgroup)
    const asNobody = ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups']
    const home = { HOME: '/nonexistent', DENO_DIR: '/nonexistent' }
    const host = await startHost(runtime, { via: [...cgroup.via, ...asNobody], env: home })
    const command = await host.spawn('bash', ['-c', 'setsid sleep 60 & wait'], { require: 'cgroup' })
    expect(cgroup.leaves()).toHaveLength(1)
    expect(await command.stop()).toMatchObject({ outcome: 'empty', proof: 'cgroup' })
    expect(cgroup.leaves()).toEqual([])
  })

  itNeeds(['cgroup'], 'PROCLEASH_GRADE=cgroup: every spawn has one, whatever it asks for', async () => {
    const cgroup = makeCgroup()
    const host = await startHost(runtime, { via: cgroup.via, env: { PROCLEASH_GRADE: 'cgroup' } })
    for (const options of [{}, { require: 'tree' }] as const) {
      const command = await host.spawn('sleep', ['60'], options)
      expect(cgroup.leaves()).toHaveLength(1)
      expect(await command.stop()).toMatchObject({ outcome: 'empty', proof: 'cgroup' })
    }
  })
})
