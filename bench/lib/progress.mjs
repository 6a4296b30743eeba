// How far a run is and how long it still takes, on standard error.

const WIDTH = 110

/**
 * @param {readonly { readonly title: string, readonly seconds: number }[]} groups Seconds are the most that each may take.
 */
export function createProgress(groups) {
  const began = performance.now()
  const terminal = process.stderr.isTTY === true
  /** Of the groups so far: what was planned, and what it took. */
  let planned = 0
  let drawn = 0

  /** @param {number} index @param {number} share */
  const secondsLeft = (index, share) => {
    const rest = groups.slice(index).reduce((total, { seconds }) => total + seconds, 0)
    const current = groups[index]?.seconds ?? 0
    const spent = (performance.now() - began) / 1000
    const done = planned + current * share
    // Before anything is known, as planned.
    const pace = done > 5 ? spent / done : 1
    return Math.max(0, (rest - current * share) * Math.min(1, pace))
  }

  return {
    /**
     * @param {number} index
     * @param {number} share Of this group that is done.
     */
    show(index, share) {
      if (!terminal || performance.now() - drawn < 200) return
      drawn = performance.now()
      const group = groups[index]
      const text = `[${index + 1}/${groups.length}] ${group?.title}  ${Math.round(share * 100)} %, ${left(secondsLeft(index, share))}`
      process.stderr.write(`\r${text.slice(0, WIDTH).padEnd(WIDTH)}`)
    },
    /** @param {number} index */
    finish(index) {
      planned += groups[index]?.seconds ?? 0
      const text = `[${index + 1}/${groups.length}] ${groups[index]?.title}  done, ${left(secondsLeft(index + 1, 0))}`
      process.stderr.write(terminal ? `\r${text.slice(0, WIDTH).padEnd(WIDTH)}\n` : `${text}\n`)
    },
  }
}

/** @param {number} seconds */
function left(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s left`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s left`
}
