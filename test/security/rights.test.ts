// What a command with fewer rights than its host has, as /proc/PID/status tells; and that they don't come back.

import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { startHost, useHost } from '../support/host.js'
import { childrenOf, descendantsOf, readStat } from '../support/proc.js'
import { hostProgram, runProgram } from '../support/program.js'
import { four, rightsOf, rightsWith } from '../support/rights.js'
import { chosenRuntimes, forEachRuntime } from '../support/runtimes.js'
import { plantSetuid } from '../support/setuid.js'
import { itNeeds } from '../support/tools.js'
import { NOBODY } from '../support/user.js'
import { waitUntil } from '../support/wait.js'

const NET_BIND_SERVICE = 1n << 10n
const CHOWN = 1n << 0n

const cli = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url))

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
