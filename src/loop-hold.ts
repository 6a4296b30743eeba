// What `ref()` and `unref()` of one thing come to: it keeps the event loop alive once, or not at all.

export interface LoopHold {
  take(): void
  release(): void
}

/** Holds from now on. `hold`: the engine's, which gives the function that lets go. */
export function holdLoop(hold: () => () => void): LoopHold {
  let release: (() => void) | undefined = hold()
  return {
    take: () => {
      release ??= hold()
    },
    release: () => {
      release?.()
      release = undefined
    },
  }
}
