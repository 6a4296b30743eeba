// A PATH that has what the programs need and nothing more: no compiler, no make, no Python.

import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { suiteFolder } from '../../support/suite.js'

const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']
const programs = ['cat', 'echo', 'env', 'readlink', 'setsid', 'sh', 'sleep', 'uname', 'dirname', 'sed']

export function bareEnvironment(home: string): Readonly<Record<string, string>> {
  return {
    PATH: barePath(),
    HOME: home,
    no_proxy: '127.0.0.1',
    CC: '/no/compiler',
    CXX: '/no/compiler',
    // Set by the npm that runs the tests, and obeyed by the one under test.
    ...Object.fromEntries(
      Object.keys(process.env)
        .filter(isNpms)
        .map((name) => [name, '']),
    ),
  }
}

function isNpms(name: string): boolean {
  return /^npm_/i.test(name)
}

function barePath(): string {
  const path = join(suiteFolder(), `path-${process.pid}`)
  if (existsSync(path)) return path
  mkdirSync(path)
  for (const name of programs) {
    const file = folders.map((folder) => join(folder, name)).find((candidate) => existsSync(candidate))
    if (file === undefined) throw new Error(`this machine has no ${name}`)
    symlinkSync(file, join(path, name))
  }
  symlinkSync(process.execPath, join(path, 'node'))
  return path
}
