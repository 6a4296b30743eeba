// Why there is no addon, and what helps: the loader only says what each attempt ended with.

import { dirname, isAbsolute } from 'node:path'
import type { LoadAttempt } from '../bindings/native.js'
import { NativeMissingError } from './errors.js'
import { VERSION } from './version.js'

const PREBUILT = ['linux-x64', 'linux-arm64']

/** None of the attempts to load one succeeded. */
export function nativeMissing(attempts: readonly LoadAttempt[]): NativeMissingError {
  const platform = `${process.platform}-${process.arch}`
  const places = attempts.map(({ path, error }) => `\n  ${path}: ${error}`).join('')
  return new NativeMissingError(`No native addon for ${platform} could be loaded:${places}`, {
    code: 'ERR_PROCLEASH_NATIVE_MISSING',
    value: attempts,
    fix: fixFor(platform, attempts),
  })
}

function fixFor(platform: string, attempts: readonly LoadAttempt[]): string {
  const refused = attempts.find(({ error }) => error.includes('--allow-ffi'))
  // Deno compares with the folder that a link leads to, which this is.
  if (refused !== undefined) return `Give Deno --allow-ffi=${packageOf(refused)}`
  // What dlopen(3) says of a file system mounted noexec, glibc and musl.
  const mounted = attempts.find(({ error }) => /failed to map segment|Operation not permitted/i.test(error))
  if (mounted !== undefined) {
    // A bundle's path is a relative one; bun build --compile unpacks the addon before it is loaded.
    if (!isAbsolute(mounted.path)) return 'Set TMPDIR to a folder that is not mounted noexec'
    return `Move ${packageOf(mounted)} to a file system that is not mounted noexec`
  }
  if (process.platform !== 'linux') return 'procleash runs on Linux only'
  if (PREBUILT.includes(platform)) {
    return 'Install the package again, with all of its files, or run `npm run build:native` in it'
  }
  return 'Run `npm run build:native` in the package: there are no prebuilt files for this platform'
}

/** The package's folder: an addon lies two folders below it. */
function packageOf({ path }: LoadAttempt): string {
  return dirname(dirname(dirname(path)))
}

export function otherVersion(version: string): NativeMissingError {
  return new NativeMissingError(`The native addon is of version ${version}, procleash of ${VERSION}`, {
    code: 'ERR_PROCLEASH_NATIVE_MISSING',
    value: version,
    fix: 'Run `npm run build:native` in the package, or install it again',
  })
}

/** Asked for by what has no other way. */
export function withoutNative(why: string): NativeMissingError {
  return new NativeMissingError(`This needs native code, and ${why}`, {
    code: 'ERR_PROCLEASH_NATIVE_MISSING',
    value: why,
    fix: 'Use it in Linux, without PROCLEASH_GRADE; Deno needs --allow-ffi',
  })
}
