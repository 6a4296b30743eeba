// Requests on standard input, one JSON object on each line. At its end the test is done with this host, or gone itself.

import process from 'node:process'

/** @param {(request: any) => void} take */
export function onRequests(take) {
  let buffered = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (text) => {
    buffered += text
    const lines = buffered.split('\n')
    buffered = lines.pop() ?? ''
    for (const line of lines) take(JSON.parse(line))
  })
  process.stdin.on('end', () => process.exit(0))
}
