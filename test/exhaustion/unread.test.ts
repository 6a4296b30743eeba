// A command that writes at full speed to a reader who never reads: it waits, and nothing else does.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { expectEmpty } from '../support/expect.js'
import { useHost } from '../support/host.js'
import { readStat, residentBytes } from '../support/proc.js'
import { remoteRun } from '../support/remote.js'
import { forEachRuntime, forOneRuntime } from '../support/runtimes.js'
import { makeFolder } from '../support/suite.js'
import { python } from '../support/tools.js'
import { waitUntil } from '../support/wait.js'
import { untilHeldUp } from '../support/writer.js'

const MIB = 2 ** 20
/** Both streams, full; its last words are more than a pipe holds. */
const WRITER = `
import os, signal, sys, threading
def end(*_):
    os.write(2, b'x' * (1 << 20))
    open(sys.argv[1], 'w').close()
    os._exit(0)
signal.signal(signal.SIGTERM, end)
piece = b'y' * 65536
def flood(fd):
    while True:
        os.write(fd, piece)
threading.Thread(target=flood, args=(1,), daemon=True).start()
flood(2)
`

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('a stop lets it say its last words, whoever listens', async () => {
    const done = join(makeFolder('unread'), 'done')
    const command = await host().spawn(python, ['-c', WRITER, done], { unread: true })
    const before = residentBytes(host().pid)
    await untilHeldUp(command.pid)

    // Others are served meanwhile.
    expect(await remoteRun(host(), 'bash', ['-c', 'seq 100000 | wc -l'])).toMatchObject({
      stdout: '100000\n',
    })
    const settlement = await command.stop({ budget: 5000 })

    expectEmpty(settlement, 'stop')
    expect(settlement.escalated).toBe(false)
    expect(existsSync(done)).toBe(true)
    expect(residentBytes(host().pid) - before).toBeLessThan(64 * MIB)
  })
})

forOneRuntime((runtime) => {
  const host = useHost(runtime)

  it('a timeout holds although the host is busy, too', async () => {
    const command = await host().spawn('yes', [], { unread: true, timeout: 1000, budget: 300 })
    const id = command.id()
    const busy = host().request('block', { ms: 4000, how: 'loop' })
    await waitUntil(() => readStat(id.pid)?.startTime !== id.startTime, 3900, 'ended while the host is busy')
    await busy
    expectEmpty(await command.settled(), 'timeout')
  })
})
