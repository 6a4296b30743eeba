// Process numbers run out and are given again, in a PID namespace where a test may see to that: nobody is taken for
// the one who had his number before.

import { expect } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { startHost } from '../support/host.js'
import type { RemoteContext } from '../support/remote.js'
import { forEachRuntime, forOneRuntime, type Runtime } from '../support/runtimes.js'
import { itNeeds } from '../support/tools.js'

const NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']
/** From 300 on numbers are given again: 60 of them. */
const FEW = ['sh', '-c', 'echo 360 >/proc/sys/kernel/pid_max && exec "$@"', 'sh']
const RUNS = 120

async function expectStranger(runtime: Runtime, disabled: string): Promise<void> {
  const host = await startHost(runtime, { via: NAMESPACE, env: { PROCLEASH_DISABLE: disabled } })
  expect(await host.evaluate(giveNumberAway, null)).toEqual({
    sameNumber: true,
    listed: false,
    afterKill: 'alive',
    afterStop: 'alive',
    outcome: 'empty',
    ended: ['sleep 61'],
  })
}

forEachRuntime((runtime) => {
  guardEachTest()

  itNeeds(['pid-namespace'], 'the number of a command that has ended is that of another', () =>
    expectStranger(runtime, ''),
  )
})

forOneRuntime((runtime) => {
  guardEachTest()

  // As on kernels before 6.13, 6.9 and 5.3.
  for (const disabled of ['pidfd_info', 'pidfd_group', 'pidfd']) {
    itNeeds(['pid-namespace'], `the same without ${disabled}`, () => expectStranger(runtime, disabled))
  }

  itNeeds(['small-pid-max'], 'numbers that come round again and again', async () => {
    const host = await startHost(runtime, { via: [...NAMESPACE, ...FEW] })
    const seen = await host.evaluate(runMany, RUNS)
    expect(seen).toEqual({ wrong: [], bystander: 'alive', cameAgain: true })
  })
})

/** Runs in the host, which may choose the next number of its namespace. */
async function giveNumberAway({ procleash, childProcess, fs }: RemoteContext) {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
  const aliveOr = (pid: number, start: string): string => {
    const now = startOf(pid)
    return now === start ? 'alive' : `not it: ${now}`
  }
  const startOf = (pid: number): string => {
    try {
      const fields = fs.readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
      return fields[0] === 'Z' ? 'ended' : fields[19]!
    } catch {
      return 'gone'
    }
  }
  for (let attempt = 0; ; attempt += 1) {
    const script = 'setsid sleep 61 & until [ "$(ps -o sid= -p $!)" -eq $! ]; do :; done'
    const command = await procleash.spawn('bash', ['-c', script], { leftovers: 'keep', stdout: 'ignore' })
    const { pid } = command
    await command.exited
    while (startOf(pid) !== 'gone') await pause()
    fs.writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1))
    const stranger = childProcess.spawn('sleep', ['62'], { detached: true, stdio: 'ignore' })
    // A thread of the runtime may have got it: then again with another one.
    if (stranger.pid !== pid && attempt < 10) {
      stranger.kill('SIGKILL')
      await command.stop()
      continue
    }
    const start = startOf(pid)
    const listed = (await command.processes()).some((one) => one.pid === pid)
    await command.kill('SIGKILL')
    const afterKill = aliveOr(pid, start)
    const settlement = await command.stop({ budget: 500 })
    const afterStop = aliveOr(pid, start)
    stranger.kill('SIGKILL')
    return {
      sameNumber: stranger.pid === pid,
      listed,
      afterKill,
      afterStop,
      outcome: settlement.outcome,
      ended: settlement.ended.map(({ argv }) => argv.join(' ')).filter((argv) => argv.startsWith('sleep')),
    }
  }
}

/** Runs in the host: trees of four, some that end, some that are stopped, while a bystander looks on. */
async function runMany({ procleash, childProcess }: RemoteContext, runs: number) {
  const bystander = childProcess.spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  const pids = new Set<number>()
  const wrong: unknown[] = []
  const script = 'setsid sleep $1 & sleep $1 & wait; exit $2'
  const runOne = async (number: number): Promise<void> => {
    const stops = number % 4 === 3
    const code = number % 100
    const command = await procleash.spawn('bash', ['-c', script, 'bash', stops ? '60' : '0', String(code)])
    pids.add(command.pid)
    const settlement = await (stops ? command.stop({ budget: 2000 }) : command.settled)
    const exit = await command.exited
    const right = stops ? settlement.reason === 'stop' : exit.code === code
    if (!right || settlement.outcome !== 'empty') wrong.push({ number, exit, settlement })
  }
  for (let number = 0; number < runs; number += 4)
    await Promise.all([0, 1, 2, 3].map((more) => runOne(number + more)))
  const state = bystander.exitCode === null && bystander.signalCode === null ? 'alive' : 'ended'
  bystander.kill('SIGKILL')
  return { wrong, bystander: state, cameAgain: pids.size < runs }
}
