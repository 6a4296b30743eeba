// What the signals of `procleash run` itself do to its command. The command has a session of its own, so a terminal's
// Ctrl-C reaches only this process: passing it on makes exactly one SIGINT for each key press.

import type { Subprocess } from '../types.js'

type HandledSignal = 'SIGINT' | 'SIGQUIT' | 'SIGTERM' | 'SIGHUP'

const handled: readonly HandledSignal[] = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP']

export interface HostSignals {
  /** Signals that came before are acted on now. */
  attach(command: Subprocess): void
  /** The signal that made this process stop the tree. */
  stoppedBy(): HandledSignal | undefined
  /** Takes the handlers away. */
  release(): void
}

export function handleHostSignals(): HostSignals {
  const early: HandledSignal[] = []
  let command: Subprocess | undefined
  let interrupted = false
  let stoppedBy: HandledSignal | undefined

  const act = (target: Subprocess, signal: HandledSignal): void => {
    const passOn = signal === 'SIGQUIT' || (signal === 'SIGINT' && !interrupted)
    if (signal === 'SIGINT') interrupted = true
    if (passOn) {
      target.kill(signal)
      return
    }
    stoppedBy ??= signal
    void target.stop()
  }

  const onSignal = (signal: NodeJS.Signals): void => {
    const known = handled.find((name) => name === signal)
    if (known === undefined) return
    if (command === undefined) early.push(known)
    else act(command, known)
  }

  for (const signal of handled) process.on(signal, onSignal)
  return {
    attach: (started) => {
      command = started
      for (const signal of early.splice(0)) act(started, signal)
    },
    stoppedBy: () => stoppedBy,
    release: () => {
      for (const signal of handled) process.off(signal, onSignal)
    },
  }
}
