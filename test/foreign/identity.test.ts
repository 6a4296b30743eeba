// Never the wrong one: numbers that went to somebody else, the host, its ancestors, its group.

import { describe, expect, it } from 'vitest'
import { expectUnseen, stopForeign } from '../support/foreign.js'
import { remember } from '../support/guard.js'
import { type Host, startHost, useHost } from '../support/host.js'
import { naiveSpawn } from '../support/naive.js'
import { endProcess, identify, isAlive, type ProcessId, readStat } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'
import { plantTree } from '../support/tree.js'

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  describe('C47: a number that went to an innocent process', () => {
    // Of its own, so that the number that comes next can be chosen.
    const inNamespace = () =>
      startHost(runtime, { via: ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'] })

    itNeeds(
      ['root', 'pid-namespace'],
      'is refused by its start time, before and during a stop, and in a record',
      async () => {
        const inside = await inNamespace()

        const seen = await inside.evaluate(reuseNumbers, null, 50_000)

        expect(seen.before).toMatchObject({ sameNumber: true, code: 'ESRCH', innocentLives: true })
        expect(seen.during).toMatchObject({ sameNumber: true, innocentLives: true })
        expect(seen.during.settlement).toMatchObject({ outcome: 'empty', escalated: true })
        expect(seen.during.settlement.ended.map((entry) => entry.argv[0])).toContain('sleep')
        expect(seen.control.innocentLives).toBe(false)
        // The kernel tells events only to listeners of the first PID namespace.
        expect(seen.recorded).toMatchObject({
          sameNumber: true,
          innocentsLive: [true, true],
          recording: 'polling',
          settlement: { outcome: 'empty', reason: 'stop' },
        })
      },
    )
  })

  it('C48: stops a child that leads no group, and nobody else in the group of the host', async () => {
    const bystander = await spawnPlainly(host(), 'sleep', ['60'])
    expect(readStat(bystander.pid)?.pgid).toBe(readStat(host().pid)?.pgid)
    const tree = plantTree('deaf-family.sh')
    const pid = await naiveSpawn(host(), tree)
    expect(readStat(pid)?.pgid).toBe(readStat(host().pid)?.pgid)

    expectUnseen(await stopForeign(host(), pid))

    expect(tree.alive()).toEqual([])
    expect([isAlive(host()), isAlive(bystander)]).toEqual([true, true])
    await stopForeign(host(), bystander.pid)
  })

  it('C48: stops a tree whose members lead groups of their own, `kill 0` among them', async () => {
    const script = 'set -m; sleep 61 & sleep 62 & (trap "kill 0" TERM; while :; do sleep 0.02; done) & wait'
    const leader = await spawnPlainly(host(), 'bash', ['-c', script])
    await host().evaluate(async ({ procleash }, pid) => {
      while ((await procleash.inspectTree(pid)).length < 5);
    }, leader.pid)

    expectUnseen(await stopForeign(host(), leader.pid))

    expect([isAlive(leader), isAlive(host())]).toEqual([false, true])
  })

  it.each([0, 1, -1, -4711])('C48: refuses %i', async (pid) => {
    await expect(stopForeign(host(), pid)).rejects.toMatchObject({
      name: 'ForbiddenTargetError',
      code: 'ERR_PROCLEASH_FORBIDDEN_TARGET',
    })
    expect(isAlive(host())).toBe(true)
  })

  it('C48: refuses the host and what it descends from', async () => {
    for (const pid of [host().pid, process.pid, process.ppid]) {
      await expect(stopForeign(host(), pid)).rejects.toMatchObject({
        code: 'ERR_PROCLEASH_FORBIDDEN_TARGET',
      })
    }
    expect(isAlive(host())).toBe(true)
  })

  it('C48: refuses others in the group of the host, which it has not started', async () => {
    const [orphan = 0] = await host().evaluate(async ({ childProcess }) => {
      const { stdout } = childProcess.spawnSync('bash', ['-c', 'sleep 60 >/dev/null 2>&1 & echo $!'])
      return [Number(stdout.toString())]
    }, null)
    const mate = identify(orphan)
    remember(mate)
    expect(readStat(orphan)?.pgid).toBe(readStat(host().pid)?.pgid)

    await expect(stopForeign(host(), orphan)).rejects.toMatchObject({
      code: 'ERR_PROCLEASH_FORBIDDEN_TARGET',
    })

    expect(isAlive(mate)).toBe(true)
    endProcess(mate)
  })

  it('says ESRCH for no process, one that is reaped, another start time, and a thread', async () => {
    const child = await spawnPlainly(host(), 'sleep', ['60'])
    const thread = await host().evaluate(
      ({ fs }, pid) => Number(fs.readdirSync(`/proc/${pid}/task`).find((task) => Number(task) !== pid)),
      host().pid,
    )
    for (const [pid, startTime] of [
      [4_194_300, undefined],
      [child.pid, child.startTime + 1],
      [thread, undefined],
    ] as const) {
      await expect(stopForeign(host(), pid, { startTime })).rejects.toMatchObject({
        name: 'NoSuchProcessError',
        code: 'ESRCH',
      })
    }
    expect(isAlive(child)).toBe(true)
    expectUnseen(await stopForeign(host(), child.pid, { startTime: child.startTime }))
    expect(isAlive(child)).toBe(false)
  })

  it('says which option is wrong', async () => {
    for (const [pid, options, code] of [
      [1.5, {}, 'ERR_OUT_OF_RANGE'],
      ['7', {}, 'ERR_INVALID_ARG_TYPE'],
      [7, { budget: -1 }, 'ERR_OUT_OF_RANGE'],
      [7, { signal: 'SIGNOPE' }, 'ERR_UNKNOWN_SIGNAL'],
      [7, { startTime: 'now' }, 'ERR_INVALID_ARG_TYPE'],
    ] as const) {
      await expect(stopForeign(host(), pid as number, options as object)).rejects.toMatchObject({
        name: 'InvalidOptionError',
        code,
      })
    }
  })
})

async function spawnPlainly(host: Host, file: string, args: readonly string[]): Promise<ProcessId> {
  const pid = await host.evaluate(
    ({ childProcess }, [command, words]) => childProcess.spawn(command, words, { stdio: 'ignore' }).pid!,
    [file, args] as const,
  )
  return identify(pid)
}

/** Runs in the host, which may choose the next number of its PID namespace. */
async function reuseNumbers({
  procleash,
  childProcess,
  fs,
  process,
}: import('../support/remote.js').RemoteContext) {
  const statOf = (pid: number): string[] => {
    try {
      const text = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
      return text.slice(text.lastIndexOf(')') + 2).split(' ')
    } catch {
      return []
    }
  }
  const startTime = (pid: number): number => Number(statOf(pid)[19])
  const lives = (pid: number): boolean => !['Z', undefined].includes(statOf(pid)[0])
  const gone = async (pid: number): Promise<void> => {
    while (statOf(pid).length > 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const sleep = (seconds: string): number =>
    childProcess.spawn('sleep', [seconds], { detached: true, stdio: 'ignore' }).pid!
  /** Threads of the runtime take numbers too: again, until it is this one. */
  const takeNumber = (pid: number): { number: number; start: number } => {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      fs.writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1))
      const number = sleep('60')
      if (number === pid) return { number, start: startTime(number) }
      process.kill(number, 'SIGKILL')
    }
    return { number: 0, start: 0 }
  }
  const innocentLives = (innocent: { number: number; start: number }): boolean =>
    lives(innocent.number) && startTime(innocent.number) === innocent.start
  const end = async (pid: number): Promise<void> => {
    process.kill(pid, 'SIGKILL')
    await gone(pid)
  }

  /** Start times count ticks of 10 ms: two holders of one number within one tick can't be told apart. */
  const nextTicks = () => new Promise((resolve) => setTimeout(resolve, 30))
  /** A thread of the runtime may have got the number, and keeps it: then again with another one. */
  const tryAgain = async <Seen extends { sameNumber: boolean }>(
    scene: () => Promise<Seen>,
  ): Promise<Seen> => {
    let seen = await scene()
    for (let attempt = 1; attempt < 10 && !seen.sameNumber; attempt += 1) seen = await scene()
    return seen
  }

  // Noted, gone, and the number given away before the stop.
  const before = await tryAgain(async () => {
    const noted = sleep('60')
    const startTimeNoted = startTime(noted)
    await end(noted)
    await nextTicks()
    const innocent = takeNumber(noted)
    const code = await procleash.stopTree(noted, { startTime: startTimeNoted }).then(
      () => 'stopped',
      (error: { code: string }) => error.code,
    )
    return { innocent, sameNumber: innocent.number === noted, code, innocentLives: innocentLives(innocent) }
  })

  // What a registry of numbers does.
  if (before.sameNumber) await end(before.innocent.number)
  const control = { innocentLives: innocentLives(before.innocent) }

  // A member with a group and a session of its own obeys, and its number is given away while the stop goes on.
  const script = 'trap "" TERM; setsid env --default-signal=TERM sleep 60 & while :; do sleep 0.02; done'
  const during = await tryAgain(async () => {
    const root = childProcess.spawn('bash', ['-c', script], { detached: true, stdio: 'ignore' }).pid!
    let member = 0
    while (member === 0) {
      const processes = await procleash.inspectTree(root)
      member = processes.find((entry) => entry.argv[1] === '60' && entry.sid === entry.pid)?.pid ?? 0
    }
    await nextTicks()
    const stopping = procleash.stopTree(root, { budget: 1500 })
    await gone(member)
    const innocent = takeNumber(member)
    const settlement = await stopping
    const seen = {
      sameNumber: innocent.number === member,
      innocentLives: innocentLives(innocent),
      settlement,
    }
    if (seen.innocentLives) await end(innocent.number)
    return seen
  })

  // The same while a tree is recorded: once a member's number, once that of the watched process itself.
  const recorded = await tryAgain(async () => {
    // In the group of the host: as long as its own had a member, its number could not be given away.
    const script = 'setsid sleep 60 & setsid sleep 61 & sleep 62 & wait'
    const root = childProcess.spawn('bash', ['-c', script], { stdio: 'ignore' }).pid!
    const watch = await procleash.watchTree(root, { leftovers: 'keep' })
    let member = 0
    while (member === 0) {
      const processes = await watch.processes()
      const found = processes.find((entry) => entry.argv[1] === '60' && entry.sid === entry.pid)
      if (found !== undefined && processes.length === 4) member = found.pid
    }
    await nextTicks()
    await end(member)
    const first = takeNumber(member)
    await end(root)
    await watch.exited
    const second = takeNumber(root)
    const settlement = await watch.stop({ budget: 15_000 })
    const innocents = [first, second]
    const seen = {
      sameNumber: first.number === member && second.number === root,
      innocentsLive: innocents.map(innocentLives),
      settlement,
      recording: watch.recording,
    }
    for (const innocent of innocents) if (innocentLives(innocent)) await end(innocent.number)
    return seen
  })
  return { before, during, control, recorded }
}
