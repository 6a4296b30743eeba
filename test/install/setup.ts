// Once before all install tests: the package as it would be published, and what the tests run beside it.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { npm } from './support/npm.js'
import { cacheFolder, root, toolsFolder } from './support/places.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The packed package. */
    tarball: string
  }
}

export function setup({ provide }: TestProject): void {
  installTools()
  provide('tarball', pack())
}

function installTools(): void {
  const lock = readFileSync(join(toolsFolder, 'package-lock.json'))
  const installed = join(toolsFolder, 'node_modules/.installed-lock')
  if (existsSync(installed) && readFileSync(installed).equals(lock)) return
  console.log('installing what the install tests run')
  execFileSync(process.execPath, [...npm(), 'ci', '--ignore-scripts'], {
    cwd: toolsFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  writeFileSync(installed, lock)
}

function pack(): string {
  rmSync(cacheFolder('tarball'), { recursive: true, force: true })
  mkdirSync(cacheFolder('tarball'), { recursive: true })
  execFileSync(
    process.execPath,
    [...npm(), 'pack', '--silent', '--pack-destination', cacheFolder('tarball')],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return join(cacheFolder('tarball'), `${name}-${version}.tgz`)
}
