// C55: in subreaper mode no status of the runtime's own children is taken, whatever else comes up to be reaped.

import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { useHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'
import { disable, enable, untilReaped } from '../support/subreaper.js'

const OWN = 2000
const ORPHANS = 2000

/** Those who wait at it get the end of a file. Who comes later waits for the next time. */
function openGate(path: string): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
  } catch (error) {
    // Nobody waits.
    if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
  }
}

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  it('2,000 own children beside 2,000 orphans: every status arrives, no zombie is left', async () => {
    await enable(host(), 300)

    const wrong = host().evaluate(
      async ({ childProcess, emit }, { own, orphans }) => {
        const statusOf = (script: string, detached = false): Promise<number | null> => {
          const child = childProcess.spawn('sh', ['-c', script], { stdio: 'ignore', detached })
          return new Promise((resolve) => child.once('exit', (code) => resolve(code)))
        }
        // Each leaves 100 processes, which end when somebody opens the gate. Half of them are in another session.
        const leave = 'i=0; while [ $i -lt 100 ]; do (read -r x <gate) & i=$((i+1)); done; exit 9'
        childProcess.execFileSync('mkfifo', ['gate'])
        const leaving = Array.from({ length: orphans / 100 }, (_, index) => statusOf(leave, index % 2 === 0))
        const bad: string[] = []
        const left = Promise.all(leaving).then((codes) => {
          for (const code of codes) if (code !== 9) bad.push(`${code} for 9`)
          emit('left')
        })
        let next = 0
        const lane = async () => {
          while (next < own) {
            const code = next++ % 250
            const told = await statusOf(`exit ${code}`)
            if (told !== code) bad.push(`${told} for ${code}`)
          }
        }
        await Promise.all([left, ...Array.from({ length: 8 }, lane)])
        return bad
      },
      { own: OWN, orphans: ORPHANS },
      50_000,
    )

    // The orphans end while the own children come and go.
    await host().event('left', 50_000)
    const gate = join(host().dir, 'gate')
    const opening = setInterval(() => openGate(gate), 20)
    onTestFinished(() => clearInterval(opening))
    expect(await wrong).toEqual([])
    expect((await untilReaped(host(), ORPHANS)).reaped).toBe(ORPHANS)
    await disable(host())
  })
})
