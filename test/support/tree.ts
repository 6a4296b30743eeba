// The programs in test/trees/: each builds one shape of process tree in a fresh folder, TREE_DIR, where it writes
// `pid.<role>` for its processes, `mark.<what>` for what they did, and `ready` when the shape stands.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { remember } from './guard.js'
import { identify, isAlive, type ProcessId } from './proc.js'
import { makeFolder } from './suite.js'
import { python } from './tools.js'
import { waitUntil } from './wait.js'

const folder = fileURLToPath(new URL('../trees/', import.meta.url))

export interface Tree {
  readonly dir: string
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Waits until the shape stands, and notes its processes with their start times. */
  ready(): Promise<void>
  /** The process of a role, as noted when the tree was ready. */
  process(role: string): ProcessId
  /** Roles whose process is alive now. */
  alive(): string[]
  has(name: string): boolean
  /** The text of a file of the tree's folder; empty where there is none. */
  read(name: string): string
  /** Writes a file that the program waits for. */
  say(word: string): void
  /** Removes the folder. Members that no list of processes shows for long end themselves then. */
  remove(): void
}

/** The file of a program in C that builds its shape alone, compiled. Needs `cc`. */
export function compileTree(name: string): string {
  const program = join(makeFolder(name), name)
  execFileSync('cc', ['-O1', '-pthread', '-o', program, join(folder, `${name}.c`)])
  return program
}

/** A tree for the running test, which also removes its folder. */
export function plantTree(program: string, ...args: string[]): Tree {
  const dir = makeFolder(program.replace(/\W+/g, '-'))
  const remove = () => {
    if (!existsSync(dir)) return
    // Moved away first: members that go on writing find no folder any more.
    const gone = `${dir}~`
    renameSync(dir, gone)
    rmSync(gone, { recursive: true, force: true })
  }
  onTestFinished(remove)
  const noted = new Map<string, ProcessId>()
  const has = (name: string) => existsSync(join(dir, name))
  const read = (name: string) => (has(name) ? readFileSync(join(dir, name), 'utf8').trim() : '')
  return {
    dir,
    file: interpreterOf(program),
    args: [join(folder, program), ...args],
    env: { TREE_DIR: dir },
    async ready() {
      await waitUntil(
        () => has('ready'),
        30_000,
        () => `${program} ready; there is: ${readdirSync(dir).join(' ')}`,
      )
      for (const name of readdirSync(dir).filter((entry) => entry.startsWith('pid.'))) {
        const id = tryIdentify(Number(read(name)))
        if (id === undefined) continue
        noted.set(name.slice('pid.'.length), id)
        remember(id)
      }
    },
    process(role) {
      const id = noted.get(role)
      if (id === undefined) throw new Error(`${program} noted no ${role}`)
      return id
    },
    alive: () => [...noted].filter(([, id]) => isAlive(id)).map(([role]) => role),
    has,
    read,
    say: (word) => writeFileSync(join(dir, word), ''),
    remove,
  }
}

function interpreterOf(program: string): string {
  const extension = extname(program)
  if (extension === '.py') return python
  return extension === '.mjs' ? process.execPath : 'bash'
}

/** A process that is never the same for long may be gone before it is looked at. */
function tryIdentify(pid: number): ProcessId | undefined {
  try {
    return identify(pid)
  } catch {
    return undefined
  }
}
