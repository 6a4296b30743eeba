// The types of procleash/child-process, as a user's program sees them. Only checked, never run.

import type { ChildProcess as NodeChildProcess, spawn as nodeSpawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Settlement } from 'procleash'
import { ChildProcess, spawn } from 'procleash/child-process'

/** A library that takes a spawn function, and one that takes a child. */
export function useLibraries(
  takesSpawn: (spawn: typeof nodeSpawn) => void,
  takesChild: (child: NodeChildProcess) => void,
): void {
  takesSpawn(spawn)
  takesChild(spawn('true'))
  takesChild(spawn('true', [], { stdio: 'inherit' }))
}

export async function spawning(signal: AbortSignal): Promise<void> {
  const piped = spawn('cat', ['-'], { cwd: '/', signal, budget: 1000, leftovers: 'keep' })
  const stdin: Writable = piped.stdin
  const stdout: Readable = piped.stdout
  const mixed = spawn('cat', [], { stdio: ['ignore', 'pipe', 'inherit'] })
  const none: null = mixed.stdin
  const output: Readable = mixed.stdout
  const word = spawn('cat', [], { stdio: 'ignore' })
  const perhaps: Readable | null = word.stdout
  const settlement: Settlement | null = await piped.stop({ budget: 0, reason: 'done' })
  const pid: number | undefined = piped.pid
  const isOurs: boolean = piped instanceof ChildProcess
  await using disposed = spawn('true')
  void [stdin, stdout, none, output, perhaps, settlement, pid, isOurs, disposed]
  // @ts-expect-error: no such option
  spawn('true', [], { budgets: 5 })
  // @ts-expect-error: a signal that is none
  piped.kill('SIGNOPE')
}
