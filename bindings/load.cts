// Finds the addon of this platform, and the helper in the same folder. Each `require` has a literal path in a
// `try` of its own, so that `bun build --compile` can embed what exists; no libc sniffing, no reading of folders,
// so that Deno needs no more than `--allow-ffi`. It never throws: the caller decides what a missing addon means.

import type { LoadAttempt, LoadResult, Native } from './native.js' with { 'resolution-mode': 'import' }

import path = require('node:path')

const HELPER_NAME = 'procleash-supervisor'

interface DenoPermissions {
  readonly permissions: {
    querySync(query: { readonly name: 'env'; readonly variable: string }): { readonly state: string }
  }
}

const { Deno: deno } = globalThis as { readonly Deno?: DenoPermissions }

function load(): LoadResult {
  const attempts: LoadAttempt[] = []
  const platform = `${process.platform}-${process.arch}`

  if (platform === 'linux-x64') {
    const folder = '../../prebuilds/linux-x64'
    try {
      return found(folder, deno ? dlopen(folder) : require('../../prebuilds/linux-x64/procleash.node'))
    } catch (error) {
      attempts.push(missed(folder, error))
    }
  }
  if (platform === 'linux-arm64') {
    const folder = '../../prebuilds/linux-arm64'
    try {
      return found(folder, deno ? dlopen(folder) : require('../../prebuilds/linux-arm64/procleash.node'))
    } catch (error) {
      attempts.push(missed(folder, error))
    }
  }
  const folder = '../../build/Release'
  try {
    return found(folder, deno ? dlopen(folder) : require('../../build/Release/procleash.node'))
  } catch (error) {
    attempts.push(missed(folder, error))
  }
  return { native: null, attempts }
}

/** In Deno, `require` needs --allow-read for this folder as well. */
function dlopen(folder: string): Native {
  const addon: { exports: unknown } = { exports: {} }
  process.dlopen(addon, addonPath(folder))
  return addon.exports as Native
}

function found(folder: string, native: Native): LoadResult {
  return { native, helperPath: helperOverride() ?? path.join(__dirname, folder, HELPER_NAME) }
}

function missed(folder: string, error: unknown): LoadAttempt {
  const text = error instanceof Error ? error.message : String(error)
  const [firstLine = text] = text.split('\n', 1)
  return { path: addonPath(folder), error: firstLine }
}

function addonPath(folder: string): string {
  return path.join(__dirname, folder, 'procleash.node')
}

/** PROCLEASH_HELPER names another helper. Deno prompts or throws on a variable it may not read: there, ask first. */
function helperOverride(): string | undefined {
  const query = { name: 'env', variable: 'PROCLEASH_HELPER' } as const
  if (deno !== undefined && deno.permissions.querySync(query).state !== 'granted') return undefined
  return process.env.PROCLEASH_HELPER || undefined
}

/** What this thread has opened; the addon can be opened once only. */
const shared: { reactor?: unknown } = {}

export = { load, shared }
