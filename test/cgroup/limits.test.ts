// The option `limits`: each holds for the whole tree, and an OOM kill is told as such. Where the kernel gives no
// controllers, a limit is refused with the reason, and that is what is tested.

import { expect, it } from 'vitest'
import { makeCgroup } from '../support/cgroup.js'
import { guardEachTest } from '../support/guard.js'
import { startHost, useHost } from '../support/host.js'
import type { SentError } from '../support/remote.js'
import { remoteRun } from '../support/remote.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds, missing, python } from '../support/tools.js'

const CONTROLLERS = ['memory', 'pids', 'cpu']
const MIB = 1024 * 1024

forEachRuntime((runtime) => {
  guardEachTest()
  const limited = async () => {
    const cgroup = makeCgroup(CONTROLLERS)
    return { cgroup, host: await startHost(runtime, { via: cgroup.via }) }
  }

  itNeeds(
    ['cgroup-controllers'],
    'memory: the kernel kills who takes more, and the settlement says so',
    async () => {
      const { cgroup, host } = await limited()
      const eat = 'import time; print("at", flush=True); b = bytearray(400 << 20); print("never")'
      const script = `${python} -c '${eat}' & wait $!; echo status $?`
      const result = await remoteRun(host, 'bash', ['-c', script], { limits: { memory: 64 * MIB } })
      expect(result.stdout).toBe('at\nstatus 137\n')
      expect(result.settlement).toMatchObject({
        outcome: 'empty',
        proof: 'cgroup',
        reason: 'exit',
        oomKills: 1,
      })
      const within = await remoteRun(host, 'true', [], { limits: { memory: 64 * MIB } })
      expect(within).toMatchObject({ code: 0, settlement: { oomKills: 0 } })
      expect(cgroup.leaves()).toEqual([])
    },
  )

  itNeeds(['cgroup-controllers'], 'memory: the command itself', async () => {
    const { host } = await limited()
    const result = await remoteRun(host, python, ['-c', 'bytearray(400 << 20)'], {
      limits: { memory: 32 * MIB },
    })
    expect(result).toMatchObject({ code: null, signal: 'SIGKILL', reason: 'exit' })
    expect(result.settlement).toMatchObject({ oomKills: 1, endedCount: 1 })
  })

  itNeeds(
    ['cgroup-controllers'],
    'processes: no more of them at once, and a fork storm is stopped',
    async () => {
      const { host } = await limited()
      const script = 'for i in {1..30}; do sleep 60 & done; echo never'
      const command = await host.spawn('bash', ['-c', script], { limits: { processes: 10 } })
      const { stdout, stderr } = await command.allOutput()
      expect(stdout).toBe('')
      expect(stderr).toMatch(/fork/)
      const settlement = await command.settled()
      expect(settlement).toMatchObject({ outcome: 'empty', proof: 'cgroup' })
      expect(settlement.endedCount).toBeLessThanOrEqual(11)
    },
  )

  itNeeds(['cgroup-controllers'], 'cpu: a busy loop gets its share and no more', async () => {
    const { host } = await limited()
    const command = await host.spawn('sh', ['-c', 'while :; do :; done'], {
      limits: { cpu: 0.1 },
      timeout: 2000,
    })
    const { usage, reason } = await command.settled()
    expect(reason).toBe('timeout')
    // 200 ms, and a first period or two that may be given in full.
    expect(usage.userTime + usage.systemTime).toBeLessThan(600)
  })

  itNeeds(['cgroup-controllers'], 'capabilities() knows them', async () => {
    const { host } = await limited()
    const limits = await host.evaluate(({ procleash }) => procleash.capabilities().cgroup.limits, null)
    expect(limits).toEqual(['memory', 'processes', 'cpu'])
  })
})

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('what is no limit is refused by name', async () => {
    const codes = await host().evaluate(async ({ procleash, describeError }) => {
      const tried: Record<string, string> = {}
      const wrong: readonly unknown[] = [
        'much',
        { memory: 0 },
        { memory: 1.5 },
        { memory: '1G' },
        { processes: 0 },
        { processes: 4_194_305 },
        { cpu: 0.001 },
        { cpu: Number.NaN },
        { time: 5 },
      ]
      for (const limits of wrong) {
        const error: SentError = await Reflect.apply(procleash.spawn, undefined, [
          'true',
          [],
          { limits },
        ]).then(() => ({ code: 'no error' }), describeError)
        tried[JSON.stringify(limits)] = `${error.code} ${'option' in error ? error.option : ''}`
      }
      return tried
    }, null)
    expect(codes).toEqual({
      '"much"': 'ERR_INVALID_ARG_TYPE limits',
      '{"memory":0}': 'ERR_OUT_OF_RANGE limits.memory',
      '{"memory":1.5}': 'ERR_OUT_OF_RANGE limits.memory',
      '{"memory":"1G"}': 'ERR_INVALID_ARG_TYPE limits.memory',
      '{"processes":0}': 'ERR_OUT_OF_RANGE limits.processes',
      '{"processes":4194305}': 'ERR_OUT_OF_RANGE limits.processes',
      '{"cpu":0.001}': 'ERR_OUT_OF_RANGE limits.cpu',
      '{"cpu":null}': 'ERR_OUT_OF_RANGE limits.cpu',
      '{"time":5}': 'ERR_INVALID_ARG_VALUE limits.time',
    })
  })

  it('no limits at all need no cgroup', async () => {
    const command = await host().spawn('true', [], { limits: {} })
    expect(await command.settled()).toMatchObject({ proof: 'subreaper', oomKills: 0 })
  })

  if (missing(['cgroup-controllers']).length > 0) {
    itNeeds(['cgroup'], 'without controllers a limit is refused, and nothing is started', async () => {
      for (const limits of [{ memory: MIB }, { processes: 5 }, { cpu: 1 }]) {
        const refused = host().spawn('true', [], { limits })
        await expect(refused).rejects.toMatchObject({ className: 'LimitError', code: 'ERR_PROCLEASH_LIMIT' })
        await expect(refused).rejects.toThrow(/cgroup\.subtree_control/)
      }
    })
  }
})
