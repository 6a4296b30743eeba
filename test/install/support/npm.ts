// The npm that came with the Node under test, and packages fetched by it without being installed.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cacheFolder } from './places.js'

/** The arguments that make a Node run npm. */
export function npm(): string[] {
  const named = process.env.npm_execpath
  if (named?.endsWith('npm-cli.js')) return [named]
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = folders.map((folder) => join(folder, 'npm')).find((file) => existsSync(file))
  if (found === undefined) throw new Error('npm is not in PATH')
  return [realpathSync(found)]
}

/** The folder of a package, also of one for another platform, which `npm install` would refuse. */
export function fetchPackage(name: string, version: string): string {
  const folder = cacheFolder(`${name.replaceAll('/', '-')}-${version}`)
  if (existsSync(folder)) return folder
  const work = `${folder}.${process.pid}`
  mkdirSync(work, { recursive: true })
  execFileSync(process.execPath, [...npm(), 'pack', '--silent', `${name}@${version}`], {
    cwd: work,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const tarball = readdirSync(work).find((file) => file.endsWith('.tgz'))
  execFileSync('tar', ['-xzf', tarball ?? ''], { cwd: work })
  try {
    renameSync(join(work, 'package'), folder)
  } catch (error) {
    // Another test file has fetched it meanwhile.
    if (!existsSync(folder)) throw error
  }
  rmSync(work, { recursive: true })
  return folder
}
