// Standard input of a command that is a pipe.

import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { createInput, type Input } from '../writable.js'
import { hold } from './hold.js'

export function createPortableInput(stdin: Writable): Input {
  const native = {
    write: (_: number, bytes: Uint8Array): number => {
      if (stdin.destroyed || stdin.writableEnded) return -constants.errno.EPIPE
      let rest = bytes.length
      stdin.write(bytes, (error) => {
        if (error) return
        rest = 0
        input.written()
      })
      // Bun calls back at once where the pipe had room.
      return rest
    },
    closeStdin: () => {
      stdin.end()
    },
  }
  const input = createInput({ native, hold }, 0)
  // Whatever went wrong: nobody reads any more.
  stdin.on('error', () => input.end(0))
  return input
}
