// How a host and its test talk: lines on standard input and output, most of them a JSON object each. At the end of the
// input the test is done with this host, or gone itself.

import { Buffer } from 'node:buffer'
import { writeSync } from 'node:fs'
import process from 'node:process'

/** @param {(line: string) => void} take */
export function onLines(take) {
  let buffered = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (text) => {
    buffered += text
    const lines = buffered.split('\n')
    buffered = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
  process.stdin.on('end', () => process.exit(0))
}

/** @param {(request: any) => void} take */
export function onRequests(take) {
  onLines((line) => take(JSON.parse(line)))
}

/** Each call of the returned function waits for the next line. */
export function readLines() {
  /** @type {string[]} */
  const lines = []
  let wake = () => {}
  onLines((line) => {
    lines.push(line)
    wake()
  })
  return async () => {
    while (lines.length === 0) {
      await new Promise((resolve) => {
        wake = () => resolve(undefined)
      })
    }
    return lines.shift()
  }
}

/** The input holds the event loop no longer, and its end ends nobody. */
export function leaveInput() {
  process.stdin.removeAllListeners('data')
  process.stdin.removeAllListeners('end')
  process.stdin.pause()
  process.stdin.unref?.()
}

/**
 * Written at once: it leaves even if the loop blocks next. Lines below PIPE_BUF don't mix, whichever thread says them.
 *
 * @param {string} event
 * @param {object} [details]
 */
export function say(event, details = {}) {
  send({ event, ...details })
}

/** @param {object} message */
export function send(message) {
  let rest = Buffer.from(`${JSON.stringify(message)}\n`)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EAGAIN') throw error
    }
  }
}
