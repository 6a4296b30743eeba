// cross-spawn's usual calls, its parsing in front of our spawn. Prints what each gave, and the same by cross-spawn.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import crossSpawn from 'cross-spawn'
import { spawn } from 'procleash/child-process'

function treeSpawn(...call) {
  const parsed = crossSpawn._parse(...call)
  const child = spawn(parsed.command, parsed.args, parsed.options)
  crossSpawn._enoent.hookChildProcess(child, parsed)
  return child
}

const folder = mkdtempSync(join(tmpdir(), 'procleash-cross-spawn-'))
const script = join(folder, 'script with blanks')
writeFileSync(script, '#!/bin/sh\necho "$# $1"\n')
chmodSync(script, 0o755)

const calls = {
  'a command': ['echo', ['a b', '"c"', '*']],
  'options in second place': ['pwd', { cwd: '/usr' }],
  'a script with a shebang': [script, ['one word']],
  'a shell': ['echo "$A" | cat', [], { shell: true, env: { ...process.env, A: 'in the shell' } }],
  'stdio as a word': ['echo', ['not seen'], { stdio: 'ignore' }],
  'a command that is missing': ['no-such-command', ['a']],
  'a failing command': ['sh', ['-c', 'echo oops >&2; exit 3']],
}

function tell(child) {
  const told = { stdout: '', stderr: '' }
  child.stdout?.on('data', (data) => {
    told.stdout += data
  })
  child.stderr?.on('data', (data) => {
    told.stderr += data
  })
  child.on('error', ({ code, syscall, path, spawnargs }) => {
    told.error = { code, syscall, path, spawnargs }
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...told, code })))
}

const results = {}
for (const [name, call] of Object.entries(calls)) {
  results[name] = { ours: await tell(treeSpawn(...call)), theirs: await tell(crossSpawn(...call)) }
}
rmSync(folder, { recursive: true })
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0))
