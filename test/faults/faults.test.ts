// A fixed spread of `npm run faults`: the faults that have shown something, and the most dangerous of the others.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { runProgram } from '../support/program.js'
import { buildFaults } from './build.mjs'
import { openJudge } from './judge.mjs'
import { faultOf } from './plan.mjs'
import { runFaults } from './run.mjs'

guardEachTest()

const DEADLINE = 240_000

beforeAll(buildFaults, DEADLINE)

const SPREAD: Record<string, string> = {
  start: `
    launch:dup2:EINTR:1 launch:execve:EACCES:1 host:vfork:EAGAIN:1 host:socketpair:EMFILE:1 host:epoll_ctl:ENOMEM:2
    host:epoll_ctl:ENOSPC:5 host:eventfd:EMFILE:1 host:pthread_create:EAGAIN:1 host:sendmsg:EPIPE:1
    host:descriptors:EMFILE:3+ host:recv:ECONNRESET:1
    supervisor:open:EMFILE:2 supervisor:pidfd_open:ENFILE:2 supervisor:signalfd:ENOMEM:1 supervisor:fork:ENOMEM:1+
    supervisor:poll:ENOMEM:1 supervisor:recvmsg:ENOMEM:1
    keeper:openat:EMFILE:1+ keeper:vfork:ENOMEM:1 keeper:pipe2:EMFILE:1+ keeper:read:ENOMEM:1 keeper:mmap:ENOMEM:1
    keeper:memory:ENOMEM:2+ keeper:memory:ENOMEM:12+ keeper:descriptors:EMFILE:1+ keeper:recvmsg:ENOMEM:2
    child:setsid:EPERM:1 child:dup2:EMFILE:1 child:execve:EAGAIN:1`,
  leftovers:
    'keeper:openat:EMFILE:1+ keeper:memory:ENOMEM:1+ keeper:pidfd_send_signal:EPERM:1+ host:read:EINTR:1',
  stop: `
    keeper:openat:EMFILE:1+ keeper:descriptors:ENFILE:1+ keeper:kill:EPERM:1 keeper:pidfd_send_signal:ESRCH:1
    keeper:ppoll:ENOMEM:1 keeper:ppoll:EINTR:1 keeper:waitpid:EINTR:1 keeper:sendmsg:EAGAIN:1 keeper:sendmsg:EPIPE:1
    host:sendmsg:EPIPE:1 host:recv:ENOMEM:1`,
  'keeper-death':
    'host:openat:EMFILE:1+ supervisor:openat:EMFILE:1+ supervisor:kill:EPERM:1 supervisor:poll:ENOMEM:1',
  'helpers-death':
    'host:open:EMFILE:1+ host:openat:EMFILE:5 host:getdents64:ENOMEM:1+ host:descriptors:ENFILE:1+',
  'stop-tree': 'host:openat:EMFILE:53+ host:getdents64:ENOMEM:1+ host:pidfd_open:EMFILE:1+',
  'host-death': 'keeper:openat:EMFILE:1+ keeper:recvmsg:ECONNRESET:1',
}

it.each(Object.entries(SPREAD))(
  '%s: each fault ends in a typed error or a true settlement',
  {
    timeout: DEADLINE,
  },
  async (scenario, names) => {
    const faults = names.split(/\s+/).filter((name) => name !== '')
    const { failures, runs, missed } = await runFaults({
      scenario,
      lanes: 3,
      faults: faults.map((name) => faultOf(name) ?? expect.fail(`${name} is no fault`)),
    })
    expect(failures).toEqual([])
    expect(runs).toBe(faults.length)
    // One or two may come in another order on a busy machine.
    expect(missed).toBeLessThanOrEqual(2)
  },
)

it('control: a host without procleash is found out', { timeout: DEADLINE }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'procleash-faults-'))
  const judge = openJudge(folder, 500)
  const { complaints } = await judge.run('naive', undefined, undefined)
  const last = await judge.close()
  rmSync(folder, { recursive: true })
  expect(complaints).toEqual([
    expect.stringMatching(/^settled empty .*, and these live: \d+/),
    expect.stringMatching(/^live on: \d+/),
  ])
  expect(last).toEqual([expect.stringMatching(/^left: pid \d+ \(sleep/)])
})

it('control: a fault that no call meets is counted as such', { timeout: DEADLINE }, async () => {
  const fault = faultOf('keeper:socketpair:EMFILE:1') ?? expect.fail('no fault')
  const { runs, missed, failures } = await runFaults({ scenario: 'start', lanes: 1, faults: [fault] })
  expect({ runs, missed, failures }).toEqual({ runs: 1, missed: 1, failures: [] })
})

it.each([
  { args: ['--scenario', 'none'], message: '--scenario: there is no none; there are start, ' },
  { args: ['--lanes', '0'], message: '--lanes must be a positive integer, not 0' },
])('refuses $args', async ({ args, message }) => {
  const { code, stderr } = await runProgram([process.execPath, 'scripts/faults.mjs', ...args])
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
