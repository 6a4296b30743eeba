// What a command with fewer rights than its host has, as /proc/PID/status tells; and that they don't come back.

import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import type { RightsOptions } from '../../src/rights/types.js'
import { type Host, startHost, useHost } from '../support/host.js'
import { childrenOf, descendantsOf, readStat, statusOf } from '../support/proc.js'
import { hostProgram, runProgram } from '../support/program.js'
import { chosenRuntimes, forEachRuntime } from '../support/runtimes.js'
import { plantSetuid } from '../support/setuid.js'
import { itNeeds } from '../support/tools.js'
import { waitUntil } from '../support/wait.js'

const NOBODY = 65_534
const NET_BIND_SERVICE = 1n << 10n
const CHOWN = 1n << 0n

const cli = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

interface Rights {
  readonly uid: string
  readonly gid: string
  readonly groups: string
  readonly noNewPrivileges: string
  readonly inheritable: bigint
  readonly permitted: bigint
  readonly effective: bigint
  readonly bounding: bigint
  readonly ambient: bigint
}

function rightsOf(pid: number): Rights {
  const words = (field: string) => statusOf(pid, field).split(/\s+/).join(' ')
  const set = (field: string) => BigInt(`0x${statusOf(pid, field)}`)
  return {
    uid: words('Uid'),
    gid: words('Gid'),
    groups: words('Groups'),
    noNewPrivileges: words('NoNewPrivs'),
    inheritable: set('CapInh'),
    permitted: set('CapPrm'),
    effective: set('CapEff'),
    bounding: set('CapBnd'),
    ambient: set('CapAmb'),
  }
}

/** Of a command that is started so, after its exec. */
async function rightsWith(host: Host, options: RightsOptions): Promise<Rights> {
  const command = await host.spawn('sleep', ['60'], options)
  await waitUntil(() => readStat(command.pid)?.comm === 'sleep', 10_000, 'the command runs')
  const rights = rightsOf(command.pid)
  expect(await command.stop()).toMatchObject({ outcome: 'empty', proof: 'subreaper' })
  return rights
}

const four = (id: number) => Array.from({ length: 4 }, () => id).join(' ')

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  itNeeds(['root'], 'user, groups and no_new_privs are what was asked for', async () => {
    const before = rightsOf(host().pid)
    expect(await rightsWith(host(), {})).toEqual(before)

    const nobody = await rightsWith(host(), { uid: NOBODY, gid: NOBODY })
    expect(nobody).toMatchObject({ uid: four(NOBODY), gid: four(NOBODY), groups: '', noNewPrivileges: '0' })
    expect([nobody.permitted, nobody.effective, nobody.ambient]).toEqual([0n, 0n, 0n])

    const options = { uid: 1234, gid: 1235, groups: [7, 4_000_000_000], noNewPrivileges: true }
    expect(await rightsWith(host(), options)).toMatchObject({
      uid: four(1234),
      gid: four(1235),
      groups: '7 4000000000',
      noNewPrivileges: '1',
    })
    // The keepers have kept theirs, and so has the host.
    expect(rightsOf(host().pid)).toEqual(before)
  })

  itNeeds(['root'], 'run(), an owner and child-process pass them on', async () => {
    const told = await host().evaluate(async ({ procleash }, id) => {
      const rights = { uid: id, gid: id, noNewPrivileges: true }
      const read = ['-E', '^(Uid|NoNewPrivs)', '/proc/self/status']
      const owner = procleash.createOwner('rights')
      const results = [
        (await procleash.run('grep', read, rights)).stdout,
        (await owner.run('grep', read, rights)).stdout,
      ]
      await owner.release()
      return results
    }, NOBODY)
    const expected = `Uid:\t${four(NOBODY).replaceAll(' ', '\t')}\nNoNewPrivs:\t1\n`
    expect(told).toEqual([expected, expected])
    const child = await runProgram(hostProgram(runtime, 'child-process/rights.mjs', `${NOBODY}`))
    expect(child).toMatchObject({ code: 0, stdout: `${NOBODY} ${NOBODY}\n`, stderr: '' })
  })
})

// What follows is native code's alone: one runtime tells as much as five.
const [runtime] = chosenRuntimes()

describe(runtime?.name ?? 'no runtime', () => {
  if (runtime === undefined || runtime.missing !== undefined) return
  const host = useHost(runtime)

  itNeeds(
    ['root'],
    'capabilities: kept ones survive the change of user and exec, all others are gone',
    async () => {
      const before = rightsOf(host().pid)
      const keep = ['CAP_NET_BIND_SERVICE'] as const
      const own = { permitted: NET_BIND_SERVICE, effective: NET_BIND_SERVICE, bounding: NET_BIND_SERVICE }
      const asUser = await rightsWith(host(), { uid: NOBODY, gid: NOBODY, capabilities: { keep } })
      expect(asUser).toMatchObject({ ...own, inheritable: NET_BIND_SERVICE, ambient: NET_BIND_SERVICE })
      const asRoot = await rightsWith(host(), { capabilities: { keep } })
      expect(asRoot).toMatchObject({ ...own, uid: four(0), inheritable: 0n, ambient: 0n })
      const without = { permitted: 0n, effective: 0n, bounding: 0n }
      expect(await rightsWith(host(), { capabilities: { keep: [] } })).toMatchObject({
        ...without,
        uid: four(0),
      })

      const dropped = await rightsWith(host(), { capabilities: { drop: ['CAP_CHOWN', 'CAP_CHOWN'] } })
      expect(before.bounding & CHOWN).toBe(CHOWN)
      expect(dropped).toMatchObject({
        permitted: before.permitted & ~CHOWN,
        effective: before.effective & ~CHOWN,
        bounding: before.bounding & ~CHOWN,
        ambient: 0n,
      })
    },
  )

  itNeeds(
    ['root', 'setpriv'],
    'a setuid program gives nothing back; control: without the option it does',
    async () => {
      const setuid = plantSetuid()
      const becomeRoot = [
        '-c',
        '"$1" --reuid 0 --regid 0 --clear-groups sleep 60 & wait; sleep 61',
        'sh',
        setuid,
      ]
      const sleeper = (pid: number) => descendantsOf(pid).find(({ comm }) => comm === 'sleep')?.pid
      const user = { uid: NOBODY, gid: NOBODY }

      const control = await host().spawn('sh', becomeRoot, user)
      await waitUntil(() => sleeper(control.pid) !== undefined, 10_000, 'the setuid program runs')
      const root = rightsOf(sleeper(control.pid) ?? 0)
      expect(root.uid).toBe(four(0))
      expect(root.effective).not.toBe(0n)
      // The keeper may signal root's processes: it has the host's rights.
      expect(await control.stop()).toMatchObject({ outcome: 'empty' })

      const barred = await host().spawn('sh', becomeRoot, { ...user, noNewPrivileges: true })
      await waitUntil(() => sleeper(barred.pid) !== undefined, 10_000, 'it has failed to become root')
      expect(rightsOf(sleeper(barred.pid) ?? 0)).toMatchObject({ uid: four(NOBODY), effective: 0n })
      expect(await barred.stop()).toMatchObject({ outcome: 'empty' })

      // It becomes root, and root of nothing: the bounding set is empty, so that setpriv can't change its groups.
      const empty = await host().spawn('sh', becomeRoot, { ...user, capabilities: { keep: [] } })
      await waitUntil(() => sleeper(empty.pid) !== undefined, 10_000, 'setpriv has failed')
      expect(rightsOf(sleeper(empty.pid) ?? 0)).toMatchObject({ uid: four(NOBODY), effective: 0n })
      expect(await empty.stop()).toMatchObject({ outcome: 'empty' })
    },
  )

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

  itNeeds(['root'], 'without native code: uid and gid alone, the rest is refused by its grade', async () => {
    const portable = await startHost(runtime, { env: { PROCLEASH_GRADE: 'group' } })
    const command = await portable.spawn('sleep', ['60'], { uid: NOBODY, gid: NOBODY })
    await waitUntil(() => readStat(command.pid)?.comm === 'sleep', 10_000, 'the command runs')
    expect(rightsOf(command.pid)).toMatchObject({ uid: four(NOBODY), gid: four(NOBODY), groups: '' })
    await command.stop()
    const rest = [{ groups: [] }, { noNewPrivileges: true }, { capabilities: { keep: [] } }] as const
    for (const options of rest) {
      const start = portable.spawn('sleep', ['60'], options)
      await expect(start).rejects.toMatchObject({ className: 'GradeError', code: 'ERR_PROCLEASH_GRADE' })
      await expect(start).rejects.toThrow(`option ${Object.keys(options)[0]}`)
    }
    await waitUntil(() => childrenOf(portable.pid).length === 0, 10_000, 'nothing was started')
  })

  itNeeds(
    ['root'],
    'procleash run: --uid, --gid, --groups, --cap-keep, --cap-drop, --no-new-privs',
    async () => {
      const run = (...args: string[]) => runProgram([runtime.command, ...runtime.args, cli, 'run', ...args])
      const script =
        'id -u; id -g; id -G; sed -n "s/^\\(CapBnd\\|CapAmb\\|NoNewPrivs\\):\\t*//p" /proc/self/status'
      const all = ['--uid', '12', '--gid', '13', '--groups', '14,15', '--cap-keep', 'net_bind_service']
      const told = await run(...all, '--no-new-privs', '--', 'sh', '-c', script)
      const set = NET_BIND_SERVICE.toString(16).padStart(16, '0')
      expect(told).toMatchObject({ code: 0, stdout: `12\n13\n13 14 15\n${set}\n${set}\n1\n`, stderr: '' })
      const dropped = await run('--cap-drop', 'all', '--', 'sh', '-c', script)
      expect(dropped.stdout.split('\n')[3]).toBe('0'.repeat(16))
      for (const args of [
        ['--uid', 'nobody'],
        ['--groups', '1,'],
        ['--cap-drop', 'NONE'],
        ['--cap-keep', '', '--cap-drop', 'all'],
      ]) {
        const wrong = await run(...args, '--', 'true')
        expect(wrong.code).toBe(125)
        expect(wrong.stderr).toMatch(/^procleash: .*--(uid|groups|cap)/)
      }
    },
  )
})
