// What the hosts of the benchmarks share: tasks come as JSON lines on standard input, each is answered by one.

import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * Until standard input ends. A task answers by what it returns, or before that by `reply`, at once: a loop that is
 * blocked afterwards does not hold the answer back.
 *
 * @param {Record<string, (details: any, reply: (answer: object) => void) => unknown>} tasks
 */
export async function serve(tasks) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { task, ...details } = JSON.parse(line)
    let answered = false
    /** @param {object} answer */
    const reply = (answer) => {
      answered = true
      writeSync(1, `${JSON.stringify(answer)}\n`)
    }
    const answer = await tasks[task]?.(details, reply)
    if (!answered) reply(answer ?? {})
  }
  process.exit()
}
