// Keeps the event loop alive while somebody holds it. Children and pipes never do by themselves.

import { clearInterval, setInterval } from 'node:timers'

const LONG = 2 ** 31 - 1

let holds = 0
let timer: ReturnType<typeof setInterval> | undefined

/** Until the returned function is called; further calls of it do nothing. */
export function hold(): () => void {
  holds += 1
  timer ??= setInterval(() => {}, LONG)
  let held = true
  return () => {
    if (!held) return
    held = false
    holds -= 1
    if (holds > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
