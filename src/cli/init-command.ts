// `procleash init`: the native procleash-init as a child with this terminal's input and output. JavaScript can't replace
// its own process by it, so a container should name the native file itself as its entrypoint; `--path` tells where it is.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { ExitStatus } from './usage.js'

/** What a container, a terminal or an operator sends. What else is to be forwarded takes the native file itself. */
const forwarded = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const

/** Returns the exit status. Throws when the native file is missing or can't be executed. */
export async function initCommand(args: readonly string[]): Promise<number> {
  const file = findInit()
  if (args[0] === '--path') {
    process.stdout.write(`${file}\n`)
    return 0
  }
  // -s: it is never PID 1 here. -p: if this process is killed, everything is stopped nonetheless.
  const init = spawn(file, ['-s', '-p', 'TERM', ...args], { stdio: 'inherit' })
  const forward = (signal: NodeJS.Signals): void => {
    // Not init.kill(): Deno then reports that signal as the child's end, whatever its status was.
    if (init.pid !== undefined && init.exitCode === null && init.signalCode === null)
      process.kill(init.pid, signal)
  }
  for (const signal of forwarded) process.on(signal, forward)
  try {
    return await new Promise((resolve, reject) => {
      init.once('error', reject)
      init.once('exit', (code, signal) => resolve(code ?? signalled(signal)))
    })
  } finally {
    for (const signal of forwarded) process.off(signal, forward)
  }
}

function signalled(signal: NodeJS.Signals | null): number {
  return signal === null ? ExitStatus.procleashFailed : ExitStatus.signalled + constants.signals[signal]
}

/** Where the addon's loader looks as well. The addon itself is not needed for this. */
function findInit(): string {
  const places = ['build/Release', `prebuilds/${process.platform}-${process.arch}`].map((folder) =>
    fileURLToPath(new URL(`../../../${folder}/procleash-init`, import.meta.url)),
  )
  const found = places.find((file) => existsSync(file))
  if (found !== undefined) return found
  throw new Error(
    `procleash-init was not found:${places.map((file) => `\n  ${file}`).join('')}\nInstall the package again, or run \`npm run build:native\` in it`,
  )
}
