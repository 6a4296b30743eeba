// Grade `cgroup`: a tree has a cgroup of its own, from its first instruction to its end, and nothing else stays of it.

import { expect } from 'vitest'
import { makeCgroup } from '../support/cgroup.js'
import { expectEmpty } from '../support/expect.js'
import { guardEachTest } from '../support/guard.js'
import { type Host, startHost, stopIn700 } from '../support/host.js'
import { remoteRun } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { itNeeds } from '../support/tools.js'
import { plantTree } from '../support/tree.js'

const inCgroup = { require: 'cgroup' } as const

forEachRuntime((runtime) => {
  guardEachTest()

  for (const disable of ['', 'clone3']) {
    const how = disable === '' ? 'born there' : 'without clone3, moved there before exec'
    itNeeds(['cgroup'], `the command is in it before its first instruction: ${how}`, async () => {
      const cgroup = makeCgroup()
      const host = await startHost(runtime, { via: cgroup.via, env: { PROCLEASH_DISABLE: disable } })
      const { stdout, settlement } = await remoteRun(host, 'cat', ['/proc/self/cgroup'], inCgroup)
      expect(stdout).toMatch(/^0::\/.*procleash-test-[^/]*\/procleash-[0-9a-f-]+$/m)
      expect(settlement).toMatchObject({ outcome: 'empty', proof: 'cgroup', reason: 'exit', oomKills: 0 })
      expect(cgroup.leaves()).toEqual([])
    })
  }

  itNeeds(['cgroup'], 'a tree of every kind: all in it, none left, and no cgroup either', async () => {
    const cgroup = makeCgroup()
    const host = await startHost(runtime, { via: cgroup.via })
    const tree = plantTree('menagerie.py')
    const command = await host.plant(tree, inCgroup)
    const [leaf = '', ...others] = cgroup.leaves()
    expect(others).toEqual([])
    expect(cgroup.members(leaf)).toEqual(expect.arrayContaining([command.pid, tree.process('daemon').pid]))

    const settlement = await stopIn700(command)

    expectEmpty(settlement, 'stop')
    expect(settlement.proof).toBe('cgroup')
    expect(tree.alive()).toEqual([])
    expect(cgroup.leaves()).toEqual([])
  })

  itNeeds(['cgroup', 'root'], 'one that freezes itself, and hides in a cgroup of its own below', async () => {
    const cgroup = makeCgroup()
    const host = await startHost(runtime, { via: cgroup.via })
    const script = [
      `cd ${cgroup.path}/procleash-*`,
      'trap "" TERM',
      'mkdir -p deep/er',
      '(echo $BASHPID >deep/er/cgroup.procs; exec setsid sleep 60) &',
      'echo 1 >cgroup.freeze',
      'sleep 60',
    ].join('\n')
    const command = await host.spawn('bash', ['-c', script], inCgroup)
    await frozen(host, cgroup.path)

    const settlement = await stopIn700(command)

    expect(settlement).toMatchObject({ outcome: 'empty', proof: 'cgroup', escalated: true })
    expect(cgroup.leaves()).toEqual([])
  })

  itNeeds(['cgroup'], 'what is kept stays in it, and a host that ends leaves none', async () => {
    const cgroup = makeCgroup()
    const host = await startHost(runtime, { via: cgroup.via })
    const { kept } = await remoteRun(host, 'bash', ['-c', 'setsid sleep 60 >/dev/null 2>&1 &'], {
      ...inCgroup,
      leftovers: 'keep',
    })
    const [leaf = ''] = cgroup.leaves()
    expect(cgroup.members(leaf)).toHaveLength(1)
    expect(await kept?.stop()).toMatchObject({ outcome: 'empty', proof: 'cgroup' })
    expect(cgroup.leaves()).toEqual([])
    await host.spawn('sleep', ['60'], inCgroup)
    expect(cgroup.leaves()).toHaveLength(1)
    // The end of the test looks: the host's cgroup has to be empty.
  })

  itNeeds(['cgroup'], 'a start that fails leaves none, and a plain spawn has none', async () => {
    const cgroup = makeCgroup()
    const host = await startHost(runtime, { via: cgroup.via })
    await expect(host.spawn('/no/such/file', [], inCgroup)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(cgroup.leaves()).toEqual([])
    const plain = await host.spawn('sleep', ['60'])
    expect(cgroup.leaves()).toEqual([])
    expect(await plain.stop()).toMatchObject({ proof: 'subreaper' })
  })

  itNeeds(
    ['cgroup', 'root'],
    'in a cgroup namespace, as containers have one: its root is the place',
    async () => {
      const cgroup = makeCgroup()
      const folder = makeFolder('cgroup2')
      const mountThere = 'mount -t cgroup2 none "$0" && exec "$@"'
      const host = await startHost(runtime, {
        via: [...cgroup.via, 'unshare', '--cgroup', '--mount', 'sh', '-c', mountThere, folder],
      })
      const found = await host.evaluate(({ procleash }) => procleash.capabilities().cgroup, null)
      expect(found).toMatchObject({ usable: true, path: folder })
      const command = await host.spawn('sleep', ['60'], inCgroup)
      expect(cgroup.leaves()).toHaveLength(1)
      expect(await command.stop()).toMatchObject({ outcome: 'empty', proof: 'cgroup' })
      expect(cgroup.leaves()).toEqual([])
    },
  )

  itNeeds(['cgroup'], 'fifty at once: each its own, none left', async () => {
    const cgroup = makeCgroup()
    const host = await startHost(runtime, { via: cgroup.via })
    const commands = await Promise.all(
      Array.from({ length: 50 }, () => host.spawn('sleep', ['60'], inCgroup)),
    )
    expect(cgroup.leaves()).toHaveLength(50)
    for (const settlement of await Promise.all(commands.map((command) => command.stop({ budget: 5000 })))) {
      expect(settlement).toMatchObject({ outcome: 'empty', proof: 'cgroup' })
    }
    expect(cgroup.leaves()).toEqual([])
  })
})

/** Seen by the kernel's own word. */
async function frozen(host: Host, path: string): Promise<void> {
  await host.evaluate(async ({ fs }, folder) => {
    for (let tries = 0; tries < 1000; tries++) {
      const leaf = fs.readdirSync(folder).find((name) => name.startsWith('procleash-'))
      if (leaf && fs.readFileSync(`${folder}/${leaf}/cgroup.events`, 'utf8').includes('frozen 1')) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error('never frozen')
  }, path)
}
