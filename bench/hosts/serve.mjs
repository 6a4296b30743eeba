// What the hosts of the benchmarks share: tasks come as JSON lines on standard input, each is answered by one.

import { createInterface } from 'node:readline'

/**
 * Until standard input ends.
 *
 * @param {Record<string, (details: any) => unknown>} tasks
 */
export async function serve(tasks) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { task, ...details } = JSON.parse(line)
    const answer = await tasks[task]?.(details)
    console.log(JSON.stringify(answer ?? {}))
  }
  process.exit()
}
