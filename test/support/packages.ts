// Programs of other projects that some tests run beside ours. Where one is missing it is installed if that needs no
// question (root, on a Debian); otherwise those tests are skipped, with the reason in their title.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const folders = ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/usr/local/bin', '/usr/local/sbin']

/** Its absolute path; `undefined` where it can't be had. The package has the program's name. */
export function packagedProgram(name: string): string | undefined {
  return find(name) ?? (install(name) ? find(name) : undefined)
}

function find(name: string): string | undefined {
  return folders.map((folder) => `${folder}/${name}`).find((file) => existsSync(file))
}

function install(name: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  const packages = ['install', '-y', '-qq', '--no-install-recommends', name]
  // The lists may be missing or old: try again with new ones.
  return apt(packages) || (apt(['update', '-qq']) && apt(packages))
}

function apt(args: readonly string[]): boolean {
  // Another test file may be at it at the same time.
  const options = ['-o', 'DPkg::Lock::Timeout=60']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', [...options, ...args], { env, stdio: 'ignore', timeout: 120_000 }).status === 0
}
