// Forwarding and rewriting. SIGTERM is another matter: see stop.test.ts.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { guardEachTest } from '../support/guard.js'
import { forEachMode, type InitMode, startInit } from '../support/init.js'
import { plantTree, type Tree } from '../support/tree.js'
import { waitUntil } from '../support/wait.js'

const TERM = 15
// KILL and STOP can't be caught, CHLD is init's own. 32 and 33 Python does not know, as glibc keeps them for itself.
const forwarded = Array.from({ length: 64 }, (_, index) => index + 1).filter(
  (signal) => ![9, 17, 19, 32, 33, TERM].includes(signal),
)

const signalsOf = (tree: Tree, role: string) =>
  tree.read(`signals.${role}`).split('\n').filter(Boolean).map(Number)

async function startLog(mode: InitMode, options: readonly string[], ...args: string[]) {
  const tree = plantTree('signal-log.py', ...args)
  const init = await startInit(mode, [tree.file, ...tree.args], { env: tree.env, options })
  await waitUntil(() => tree.has('ready'), 10_000, 'the main program listens')
  return {
    tree,
    init,
    /** Sends one signal and waits until the main program has got what it becomes. */
    async expectArrival(sent: number, arrives = sent) {
      const before = tree.read('signals.main')
      init.signal(sent)
      await waitUntil(() => tree.read('signals.main') !== before, 5000, `arrival of ${sent} as ${arrives}`)
      expect(signalsOf(tree, 'main').at(-1)).toBe(arrives)
    },
    async end() {
      writeFileSync(join(tree.dir, 'end'), '')
      return (await init.ended).code
    },
  }
}

guardEachTest()

forEachMode((mode) => {
  it('forwards each signal to the main program alone, once', async () => {
    const log = await startLog(mode, [], 'child')
    for (const signal of forwarded) await log.expectArrival(signal)
    expect(await log.end()).toBe(0)
    expect(signalsOf(log.tree, 'main')).toEqual(forwarded)
    // SIGTERM and SIGCONT may come when the main program has ended and this one is left.
    expect(signalsOf(log.tree, 'child').filter((signal) => signal !== TERM && signal !== 18)).toEqual([])
  })

  it('-g: to its whole group', async () => {
    const log = await startLog(mode, ['-g'], 'child')
    for (const signal of [1, 2, 10, 40]) await log.expectArrival(signal)
    await waitUntil(() => signalsOf(log.tree, 'child').length >= 4, 5000, 'arrival at the child')
    expect(signalsOf(log.tree, 'child')).toEqual([1, 2, 10, 40])
    expect(await log.end()).toBe(0)
  })

  it('-r: as another signal, by name or number; as 0 not at all', async () => {
    const log = await startLog(mode, [
      '-r',
      'HUP:USR1',
      '--rewrite=12:SIGWINCH',
      '-r',
      'sigusr1:rtmin+3',
      '-rINT:0',
    ])
    await log.expectArrival(1, 10)
    await log.expectArrival(12, 28)
    await log.expectArrival(10, 37)
    log.init.signal('SIGINT')
    await log.expectArrival(3)
    expect(await log.end()).toBe(0)
    expect(signalsOf(log.tree, 'main')).toEqual([10, 28, 37, 3])
  })

  it('-r TERM:0: SIGTERM stops nothing', async () => {
    const log = await startLog(mode, ['-r', 'TERM:0'])
    log.init.signal('SIGTERM')
    await log.expectArrival(1)
    expect(await log.end()).toBe(0)
    expect(signalsOf(log.tree, 'main')).toEqual([1])
  })

  it('a signal that the main program does not handle ends it, 32 to 34 included', async () => {
    for (const signal of ['SIGINT', 'SIGUSR1', 32, 33, 34, 64] as const) {
      const tree = plantTree('ready.sh')
      const init = await startInit(mode, [tree.file, ...tree.args], { env: tree.env })
      await waitUntil(() => tree.has('ready'), 10_000, 'the main program is there')
      init.signal(signal)
      const number = { SIGINT: 2, SIGUSR1: 10 }[String(signal)] ?? Number(signal)
      expect((await init.ended).code).toBe(128 + number)
    }
  })
})
