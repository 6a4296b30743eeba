// Hundreds of commands whose output is read while they end: every byte comes. A reactor that looked at a pipe after it
// had closed it used a command's memory after it was freed, which showed here as an abort of one Deno host in three.

import { expect, it } from 'vitest'
import { useHost } from '../support/host.js'
import { forEachRuntime } from '../support/runtimes.js'
import { sanitizer } from '../support/sanitizer.js'

// A keeper under Valgrind takes a second of a processor.
const COMMANDS = sanitizer === 'valgrind' ? 40 : 2000
const AT_ONCE = sanitizer === 'valgrind' ? 20 : 200

forEachRuntime((runtime) => {
  const host = useHost(runtime)

  const readAll = (total: number) =>
    host().evaluate(
      async ({ procleash }, [commands, atOnce]) => {
        const wrong: string[] = []
        const readOne = async (number: number) => {
          const command = await procleash.spawn('echo', [String(number)], { stdin: 'pipe' })
          let text = ''
          const decoder = new TextDecoder()
          for await (const bytes of command.stdout!) text += decoder.decode(bytes, { stream: true })
          const { outcome } = await command.settled
          if (text !== `${number}\n` || outcome !== 'empty') wrong.push(`${number}: ${outcome}, ${text}`)
        }
        for (let first = 0; first < commands; first += atOnce) {
          await Promise.all(Array.from({ length: atOnce }, (_, i) => readOne(first + i)))
        }
        return wrong
      },
      [total, AT_ONCE] as const,
      60_000,
    )

  it(`${COMMANDS} commands, ${AT_ONCE} at once, each read to its end`, async () => {
    expect(await readAll(COMMANDS)).toEqual([])
  })
})
