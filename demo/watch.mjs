// Starts a host and watches it from outside. Whatever happens, end() leaves nothing of it.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { identify, isAlive, pidsWithMark } from './proc.mjs'

/** @typedef {import('./proc.mjs').ProcessId} ProcessId */
/** @typedef {import('../scripts/runtimes.mjs').Runtime} Runtime */
/** @typedef {ReturnType<typeof startHost>} Host */

/** Milliseconds that a host may take for its next fact. */
const PATIENCE = 15_000
const hostProgram = fileURLToPath(new URL('host.mjs', import.meta.url))

/** @param {Runtime} runtime */
export function startHost({ command, args }) {
  const mark = { name: 'PROCLEASH_DEMO', value: randomUUID() }
  const child = spawn(command, [...args, hostProgram], {
    // Deno colours its errors for FORCE_COLOR, whatever its value.
    env: { ...process.env, FORCE_COLOR: undefined, NO_COLOR: '1', [mark.name]: mark.value },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })

  return {
    /**
     * What the host says next.
     *
     * @param {string} fact
     */
    async next(fact) {
      const { value } = await Promise.race([lines.next(), lateness(fact)])
      const told = value === undefined ? {} : JSON.parse(value)
      if (told.fact !== fact)
        throw new Error(`the host should have said '${fact}'. ${value ?? ''}\n${errors}`)
      return told
    },
    /** The host and all that came of it: supervisor, keeper, tree. */
    family: () => pidsWithMark(mark).map(identify),
    kill: () => child.kill('SIGKILL'),
    end() {
      child.kill('SIGKILL')
      for (const pid of pidsWithMark(mark)) kill(pid)
    },
  }
}

/**
 * When the last of them had ended, seen every millisecond; or which were still alive after `patience` milliseconds.
 *
 * @param {readonly ProcessId[]} processes
 * @param {number} patience
 * @returns {Promise<{ at: number, left: ProcessId[] }>}
 */
export function watchEnd(processes, patience) {
  const began = Date.now()
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const at = Date.now()
      const left = processes.filter(isAlive)
      if (left.length > 0 && at < began + patience) return
      clearInterval(timer)
      resolve({ at, left })
    }, 1)
  })
}

/**
 * @param {string} fact
 * @returns {Promise<never>}
 */
function lateness(fact) {
  return new Promise((_, reject) => {
    setTimeout(
      () => reject(new Error(`nothing from the host for ${PATIENCE} ms, awaiting '${fact}'`)),
      PATIENCE,
    ).unref()
  })
}

/** @param {number} pid Found by its mark just now; it may have ended since. */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Ended by itself.
  }
}
