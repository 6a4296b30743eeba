// Reads the output of one command as fast as it can: by procleash's stream, or by this runtime's child_process.
// One measurement a process, so that the peak of its memory is that of this way of reading.

import { statusKilobytes } from '../lib/proc.mjs'
import { readers } from './readers.mjs'
import { serve } from './serve.mjs'

await serve({
  /** @param {{ reader: string, file: string, args: string[] }} details */
  async measure({ reader, file, args }) {
    const idle = statusKilobytes('self', 'VmHWM')
    const before = performance.now()
    const bytes = await readers[reader]?.(file, args)
    return {
      bytes,
      seconds: (performance.now() - before) / 1000,
      idle,
      peak: statusKilobytes('self', 'VmHWM'),
    }
  },
})
