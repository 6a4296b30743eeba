// The host's own end, as far as it tells of it: exit, an uncaught exception, the end of all work. Nothing can be
// waited for then, so each tree gets SIGKILL. A host that is killed tells nobody; that takes a keeper.

import { system } from './system.js'
import type { Watch } from './watch.js'

const running = new Set<Watch>()

/** Until the returned function is called. */
export function killWithHost(watch: Watch): () => void {
  if (running.size === 0) process.on('exit', killAll)
  running.add(watch)
  return () => {
    if (running.delete(watch) && running.size === 0) process.removeListener('exit', killAll)
  }
}

function killAll(): void {
  const list = system.listNow()
  for (const watch of running) watch.killNow(list)
}
