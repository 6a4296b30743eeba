// The floor: the kernel's own SIGKILL to all of a cgroup in one write. It needs a cgroup of one's own, and lets nobody
// clean up.

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { exitOf } from './child-process.mjs'
import { stopOnAbort } from './grace.mjs'

/** @type {import('./types.mjs').Contender} */
export const cgroupKill = {
  title: 'cgroup.kill (the floor)',
  async start(file, args, { env, signal, cgroup = '' }) {
    const enter = 'echo $$ >"$0/cgroup.procs" && exec "$@"'
    const child = spawn('sh', ['-c', enter, cgroup, file, ...args], { env, stdio: 'ignore' })
    const exit = exitOf(child)
    const stop = async () => {
      writeFileSync(`${cgroup}/cgroup.kill`, '1')
      await exit
      while (readFileSync(`${cgroup}/cgroup.events`, 'utf8').includes('populated 1')) await delay(1)
    }
    stopOnAbort(signal, stop)
    return { pid: child.pid ?? 0, stop }
  },
}
