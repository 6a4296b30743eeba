// procleash-init beside tini and dumb-init, each as it is: the table of docs/containers.md, measured.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { endLeftProcesses, guardEachTest, leftProcesses } from '../support/guard.js'
import { asPid1, type InitMode, initFile, runInit, startInit } from '../support/init.js'
import { packagedProgram } from '../support/packages.js'
import { descendantsOf, isAlive } from '../support/proc.js'
import { runProgram } from '../support/program.js'
import { missing } from '../support/tools.js'
import { plantTree } from '../support/tree.js'
import { staysTheSame, waitUntil } from '../support/wait.js'

interface Contender {
  readonly name: string
  readonly file: string | undefined
  /** Options that make it a subreaper, if it can be one. */
  readonly subreaper: readonly string[]
  readonly budget: readonly string[]
}

const contenders: readonly Contender[] = [
  { name: 'procleash-init', file: initFile, subreaper: ['-s'], budget: ['--budget', '700ms'] },
  { name: 'tini', file: packagedProgram('tini'), subreaper: ['-s'], budget: [] },
  { name: 'dumb-init', file: packagedProgram('dumb-init'), subreaper: [], budget: [] },
]

const direct: InitMode = { name: 'not PID 1', pid1: false, needs: [], wrap: (argv) => [...argv] }
const USR1 = 10
const TERM = 15
const CONT = 18
const signalNames =
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP \
TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS'.split(' ')
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)
const deadly = range(1, 64).filter((signal) => ![17, 18, 19, 20, 21, 22, 23, 28].includes(signal))
// What the main program of the test can see: see signals.test.ts.
const visible = range(1, 64).filter((signal) => ![9, 17, 19, 32, 33].includes(signal))

const stopping = [20, 21, 22]

type Row = (contender: Contender & { readonly file: string }) => Promise<string>

async function statuses(argvs: readonly (readonly string[])[]): Promise<number[]> {
  const script = argvs.map((argv) => `${argv.map((word) => `'${word}'`).join(' ')} </dev/null; echo $?`)
  return (await runProgram(['sh', '-c', script.join('\n')])).stdout.trim().split('\n').map(Number)
}

async function start(
  { file }: { readonly file: string },
  program: readonly string[],
  { mode = asPid1, options = [] }: { readonly mode?: InitMode; readonly options?: readonly string[] } = {},
) {
  const tree = plantTree(...(program as [string]))
  const init = await startInit(mode, [tree.file, ...tree.args], {
    env: tree.env,
    init: [file, ...options, '--'],
  })
  await waitUntil(() => tree.has('ready'), 10_000, 'the main program is ready')
  return { tree, init }
}

const rows: Readonly<Record<string, Row>> = {
  'exit codes 0 to 255 that are passed on': async ({ file }) => {
    const codes = range(0, 255)
    const seen = await statuses(codes.map((code) => asPid1.wrap([file, '--', 'sh', '-c', `exit ${code}`])))
    return `${codes.filter((code, at) => seen[at] === code).length} of 256`
  },
  'ended by signal N: status is 128 + N': async ({ file }) => {
    const script = (signal: number) => `ulimit -c 0; kill -${signal} $$`
    const seen = await statuses(deadly.map((signal) => asPid1.wrap([file, '--', 'sh', '-c', script(signal)])))
    return `${deadly.filter((signal, at) => seen[at] === 128 + signal).length} of ${deadly.length}`
  },
  'status for a command that is not there, not executable': async ({ file }) =>
    (await statuses([asPid1.wrap([file, '--', '/no/such']), asPid1.wrap([file, '--', '/etc/passwd'])])).join(
      ', ',
    ),
  'signals that reach the main program': async (contender) => {
    const { tree, init } = await start(contender, ['signal-log.py'])
    const lines = () => tree.read('signals.main').split('\n').map(Number)
    const count = (signal: number) => lines().filter((got) => got === signal).length
    for (const signal of [...visible.filter((each) => each !== TERM), TERM]) {
      const before = count(USR1)
      init.signal(signal)
      // SIGCONT takes back a stop signal that still waits (signal(7)), so that gets its time.
      if (stopping.includes(signal)) await staysTheSame(() => count(signal), 300)
      // Some make it stop. What was sent before this has been seen to when the next arrives.
      init.signal(CONT)
      init.signal(USR1)
      await waitUntil(() => count(USR1) > before, 5000, `arrival of SIGUSR1 after ${signal}`)
    }
    init.signal('SIGKILL')
    await init.ended
    const lost = visible.filter((signal) => !lines().includes(signal))
    const names = lost.filter((signal) => signal < 32).map((signal) => signalNames[signal - 1])
    if (lost.some((signal) => signal > 32)) names.push('real-time ones')
    return `${visible.length - lost.length} of ${visible.length}${names.length > 0 ? `; not ${names.join(' ')}` : ''}`
  },
  '`-r 1:10`: SIGHUP arrives as SIGUSR1': async (contender) => {
    const [refused] = await statuses([asPid1.wrap([contender.file, '-r', '1:10', '--', 'true'])])
    if (refused !== 0) return 'no such option'
    const { tree, init } = await start(contender, ['signal-log.py'], { options: ['-r', '1:10'] })
    init.signal('SIGHUP')
    await waitUntil(() => tree.has('signals.main'), 5000, 'arrival')
    init.signal('SIGKILL')
    await init.ended
    return tree.read('signals.main') === String(USR1) ? 'yes' : 'no'
  },
  'zombies 1 s after 20 orphans ended': async (contender) => {
    const tree = plantTree('ready.sh')
    const orphans =
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sh -c 'sleep 0.2 & exit'; done"
    const script = `${orphans}; . ${tree.args[0]}`
    const init = await startInit(asPid1, ['sh', '-c', script], {
      env: tree.env,
      init: [contender.file, '--'],
    })
    await waitUntil(() => tree.has('ready'), 10_000, 'the orphans are made')
    const below = (dead: boolean) =>
      descendantsOf(init.id.pid).filter(({ state }) => (state === 'Z') === dead)
    await waitUntil(() => below(false).length <= 1, 3000, 'the orphans have ended')
    const reaped = waitUntil(() => below(true).length === 0, 1000, 'no zombie')
    const zombies = await reaped.then(
      () => 0,
      () => below(true).length,
    )
    init.signal('SIGKILL')
    await init.ended
    return String(zombies)
  },
  'SIGTERM: a daemon that saves for 200 ms': async (contender) => {
    const { tree, init } = await start(contender, ['saving-daemon.py', 'obey'])
    init.signal('SIGTERM')
    await init.ended
    return tree.has('mark.saved') ? 'has saved' : '**is cut off**'
  },
  // It may have ended before anyone could look at it.
  'the main program ends: such a daemon': async ({ file }) => {
    const tree = plantTree('saving-daemon.py', 'end')
    await runInit(asPid1, [tree.file, ...tree.args], { env: tree.env, init: [file, '--'] })
    return tree.has('mark.saved') ? 'has saved' : '**is cut off**'
  },
  'SIGTERM: a main program that is deaf to it': async (contender) => {
    const { init } = await start(contender, ['saving-daemon.py', 'deaf'], { options: contender.budget })
    init.signal('SIGTERM')
    const stays = await staysTheSame(() => isAlive(init.id), 1200)
    if (stays) init.signal('SIGKILL')
    await init.ended
    return stays ? '**runs on**' : 'is killed when the budget is over'
  },
  'not PID 1: daemons left after its end': async (contender) => {
    const options = contender.subreaper
    const { init } = await start(contender, ['saving-daemon.py', 'end'], { mode: direct, options })
    const { stderr } = await init.ended
    expect(stderr).toBe('')
    const left = leftProcesses().length
    await endLeftProcesses()
    return left === 0 ? '0' : `**${left}**`
  },
}

describe('beside tini and dumb-init', () => {
  guardEachTest()
  const lacks = missing(asPid1.needs)
  for (const { name, file } of contenders) if (file === undefined) lacks.push(`needs ${name}`)
  const page = readFileSync(new URL('../../docs/containers.md', import.meta.url), 'utf8').replaceAll(
    / +/g,
    ' ',
  )

  for (const [title, measure] of Object.entries(rows)) {
    if (lacks.length > 0) {
      it.skip(`${title} (skipped: ${lacks.join(', ')})`)
      continue
    }
    it(title, async () => {
      const cells: string[] = []
      for (const contender of contenders) cells.push(await measure({ ...contender, file: contender.file! }))
      expect(page).toContain(`| ${[title, ...cells].join(' | ')} |`)
    })
  }
})
