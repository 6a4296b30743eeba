// Rights that can't be given or taken: each refusal names its step, and nothing runs.

import { describe, expect } from 'vitest'
import type { RightsOptions } from '../../src/rights/types.js'
import { startHost, useHost } from '../support/host.js'
import { descendantsOf } from '../support/proc.js'
import { four, rightsWith } from '../support/rights.js'
import { chosenRuntimes } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { NOBODY } from '../support/user.js'

// Native code's alone: one runtime tells as much as five.
const [runtime] = chosenRuntimes()

describe(runtime?.name ?? 'no runtime', () => {
  if (runtime === undefined || runtime.missing !== undefined) return
  const host = useHost(runtime)

  itNeeds(
    ['root', 'setpriv'],
    'what the host may not give is refused, each with its call, and nothing runs',
    async () => {
      const poor = await startHost(runtime, { user: NOBODY })
      const refused = async (options: RightsOptions, message: RegExp) => {
        const start = poor.spawn('sleep', ['60'], options)
        await expect(start, JSON.stringify(options)).rejects.toMatchObject({
          className: 'SpawnError',
          code: 'EPERM',
          fix: expect.stringMatching(/CAP_|CapPrm/),
        })
        await expect(start).rejects.toThrow(message)
      }
      await refused({ uid: 1 }, /setgroups/)
      await refused({ uid: 0, groups: [] }, /setgroups/)
      await refused({ gid: 1 }, /setgroups/)
      await refused({ groups: [1] }, /setgroups/)
      await refused({ capabilities: { keep: [] } }, /bounding set.*prctl/)
      await refused({ capabilities: { drop: ['CAP_CHOWN'] } }, /bounding set.*prctl/)
      // What it is already, and what takes no right, can be had.
      expect(await rightsWith(poor, { uid: NOBODY, gid: NOBODY, noNewPrivileges: true })).toMatchObject({
        uid: four(NOBODY),
        noNewPrivileges: '1',
      })
      expect(descendantsOf(poor.pid).filter(({ comm }) => comm === 'sleep')).toEqual([])
    },
  )

  itNeeds(['root', 'setpriv'], 'each other step that is refused has its call too', async () => {
    const lacking = async (capability: string, options: RightsOptions, message: RegExp) => {
      const via = ['setpriv', '--bounding-set', `-${capability}`, '--inh-caps', `-${capability}`, '--']
      const limited = await startHost(runtime, { via })
      await expect(limited.spawn('sleep', ['60'], options)).rejects.toThrow(message)
      expect(descendantsOf(limited.pid).filter(({ comm }) => comm === 'sleep')).toEqual([])
      await limited.close()
    }
    // A command that its keeper could not stop is not started.
    await lacking('kill', { uid: NOBODY }, /could not be stopped again.*EPERM \(kill\).*CAP_KILL/)
    await lacking('setuid', { uid: NOBODY }, /user id: EPERM \(setresuid\)/)
    await lacking('setgid', { gid: NOBODY }, /groups: EPERM \(setgroups\)/)
    await lacking('chown', { capabilities: { keep: ['CAP_CHOWN'] } }, /capabilities: EPERM \(capset\)/)
  })

  itNeeds(['root'], 'bad values are refused before anything is asked of the system', async () => {
    const told = await host().evaluate(async ({ procleash, describeError }, _) => {
      const bad: Record<string, unknown> = {
        'uid a name': { uid: 'nobody' },
        'uid below 0': { uid: -1 },
        'uid of 2^32-1': { uid: 2 ** 32 - 1 },
        'gid with a fraction': { gid: 1.5 },
        'groups no list': { groups: 7 },
        'a group that is none': { groups: [1, null] },
        'too many groups': { groups: Array.from({ length: 65 }, (__, id) => id) },
        'noNewPrivileges 1': { noNewPrivileges: 1 },
        'capabilities a list': { capabilities: ['CAP_CHOWN'] },
        'neither keep nor drop': { capabilities: {} },
        'keep and drop': { capabilities: { keep: [], drop: [] } },
        'keep no list': { capabilities: { keep: 'CAP_CHOWN' } },
        'an unknown capability': { capabilities: { drop: ['CAP_NONE'] } },
      }
      const codes: Record<string, string> = {}
      for (const [name, options] of Object.entries(bad)) {
        const call = () => Reflect.apply(procleash.spawn, undefined, ['sleep', ['60'], options])
        codes[name] = await call().then(
          () => 'started',
          (error: unknown) => {
            const { className, code, option } = describeError(error)
            return `${className} ${code} ${option}`
          },
        )
      }
      return codes
    }, null)
    expect(told).toEqual({
      'uid a name': 'InvalidOptionError ERR_INVALID_ARG_TYPE uid',
      'uid below 0': 'InvalidOptionError ERR_OUT_OF_RANGE uid',
      'uid of 2^32-1': 'InvalidOptionError ERR_OUT_OF_RANGE uid',
      'gid with a fraction': 'InvalidOptionError ERR_OUT_OF_RANGE gid',
      'groups no list': 'InvalidOptionError ERR_INVALID_ARG_TYPE groups',
      'a group that is none': 'InvalidOptionError ERR_INVALID_ARG_TYPE groups[1]',
      'too many groups': 'InvalidOptionError ERR_OUT_OF_RANGE groups',
      'noNewPrivileges 1': 'InvalidOptionError ERR_INVALID_ARG_TYPE noNewPrivileges',
      'capabilities a list': 'InvalidOptionError ERR_INVALID_ARG_TYPE capabilities',
      'neither keep nor drop': 'InvalidOptionError ERR_INVALID_ARG_VALUE capabilities',
      'keep and drop': 'InvalidOptionError ERR_INVALID_ARG_VALUE capabilities',
      'keep no list': 'InvalidOptionError ERR_INVALID_ARG_TYPE capabilities.keep',
      'an unknown capability': 'InvalidOptionError ERR_INVALID_ARG_VALUE capabilities.drop[0]',
    })
  })
})
