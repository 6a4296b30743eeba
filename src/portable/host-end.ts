// The host's own end, as far as it tells of it: exit, an uncaught exception, the end of all work. Nothing can be
// waited for then, so each tree gets SIGKILL. A host that is killed tells nobody; that takes a keeper.

import type { Watch } from './watch.js'

const running = new Set<Watch>()
let isListening = false

/** Until the returned function is called. */
export function killWithHost(watch: Watch): () => void {
  if (!isListening) process.on('exit', killAll)
  isListening = true
  running.add(watch)
  return () => running.delete(watch)
}

function killAll(): void {
  for (const watch of running) watch.killNow()
}
