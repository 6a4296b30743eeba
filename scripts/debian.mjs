// Debian's packages: installed where that needs no question (root, on a machine with apt-get), or only unpacked into
// a folder, from another release or for another architecture, without a change to the machine.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isInstalled } from './programs.mjs'

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Installs what is missing. Throws, naming it, where it can't.
 *
 * @param {Readonly<Record<string, string>>} programs Each with the package that has it.
 */
export function ensureInstalled(programs) {
  const missing = () => Object.keys(programs).filter((program) => !isInstalled(program))
  const absent = missing()
  if (absent.length === 0) return
  const packages = [...new Set(absent.map((program) => programs[program] ?? program))]
  const by = `Debian, Ubuntu: apt-get install ${packages.join(' ')}`
  if (process.getuid?.() !== 0 || !isInstalled('apt-get')) {
    throw new Error(`not installed: ${absent.join(', ')}. ${by}`)
  }
  console.log(`  installing by apt-get: ${packages.join(' ')}`)
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages]
  // The lists may be missing or old: try again with new ones.
  if (apt(install).status !== 0) {
    for (const args of [['update', '-qq'], install]) {
      const { status, output } = apt(args)
      if (status !== 0) throw new Error(`apt-get ${args.join(' ')} failed:\n${output}`)
    }
  }
  const left = missing()
  if (left.length > 0) throw new Error(`still not there after apt-get: ${left.join(', ')}`)
}

/**
 * Unpacks packages into `folder`, without what they depend on. Does nothing if it was done before. Throws where there
 * is no apt-get or the archive can't be reached.
 *
 * @param {string} folder
 * @param {{ release: string, architecture: string, packages: readonly string[] }} wanted
 */
export function unpackPackages(folder, { release, architecture, packages }) {
  const done = join(folder, '.unpacked')
  if (existsSync(done)) return
  rmSync(folder, { recursive: true, force: true })
  const work = join(folder, '.apt')
  for (const part of ['state/lists/partial', 'cache/archives/partial', 'packages']) {
    mkdirSync(join(work, part), { recursive: true })
  }
  writeFileSync(join(work, 'sources.list'), `deb [signed-by=${KEYRING}] ${archive()} ${release} main\n`)
  writeFileSync(join(work, 'apt.conf'), aptConfiguration(work, architecture))
  const options = { cwd: join(work, 'packages'), env: { APT_CONFIG: join(work, 'apt.conf') } }
  for (const args of [
    ['update', '-qq'],
    ['download', '-qq', ...packages],
  ]) {
    const { status, output } = apt(args, options)
    if (status !== 0) throw new Error(`apt-get ${args.join(' ')} (${release}, ${architecture}):\n${output}`)
  }
  for (const name of readdirSync(options.cwd)) {
    const { status, stderr } = spawnSync('dpkg-deb', ['-x', join(options.cwd, name), folder], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`dpkg-deb -x ${name}: ${stderr}`)
  }
  rmSync(work, { recursive: true })
  writeFileSync(done, '')
}

/**
 * Where this machine gets Debian from.
 *
 * @returns {string}
 */
function archive() {
  const { status, output } = apt([
    'indextargets',
    '--format',
    '$(ORIGIN) $(REPO_URI)',
    'Created-By: Packages',
  ])
  const found = /^Debian (\S+\/debian\/?)$/m.exec(output)
  if (status === 0 && found?.[1] !== undefined) return found[1]
  throw new Error('needs the apt-get of a Debian, with an archive of Debian in its sources')
}

/**
 * An apt that knows nothing of this machine and changes nothing on it.
 *
 * @param {string} work
 * @param {string} architecture
 */
function aptConfiguration(work, architecture) {
  return `
Dir::Etc::SourceList "${work}/sources.list";
Dir::Etc::SourceParts "-";
Dir::State "${work}/state";
Dir::State::status "/dev/null";
Dir::Cache "${work}/cache";
APT::Architecture "${architecture}";
APT::Architectures { "${architecture}"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "2";
`
}

/**
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Readonly<Record<string, string>> }} [options]
 */
function apt(args, { cwd, env } = {}) {
  const result = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=60', ...args], {
    cwd,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return {
    status: result.status,
    output: `${result.error?.message ?? ''}${result.stdout ?? ''}${result.stderr ?? ''}`,
  }
}
