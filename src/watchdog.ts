// For a keeper that lives and says nothing: stopped together with its supervisor, or stuck in the kernel.

import { clearTimeout, setTimeout } from 'node:timers'

/** Milliseconds beyond a stop's budget in which every keeper that can run has answered: it names survivors after 1.2 s. */
const PATIENCE = 5000

export interface Watchdog {
  /** An answer is due: at the latest when this stop and the patience are over. */
  expect(budget: number): void
  answered(): void
}

export function createWatchdog(giveUp: () => void): Watchdog {
  let timer: ReturnType<typeof setTimeout> | undefined
  let due = Infinity
  return {
    expect: (budget) => {
      const wait = Math.min(budget + PATIENCE, 2 ** 31 - 1)
      if (performance.now() + wait >= due) return
      due = performance.now() + wait
      clearTimeout(timer)
      timer = setTimeout(giveUp, wait)
      timer.unref()
    },
    answered: () => clearTimeout(timer),
  }
}
