// Finds the addon of this platform, and the helper in the same folder. Each `require` has a literal path in a
// `try` of its own, so that `bun build --compile` can embed what exists; no libc sniffing, no reading of folders,
// so that Deno needs no more than `--allow-ffi`. It never throws: the caller decides what a missing addon means.

import type { LoadAttempt, LoadResult, Native } from './native.js' with { 'resolution-mode': 'import' }

import path = require('node:path')

const HELPER_NAME = 'procleash-supervisor'

interface DenoNamespace {
  readonly build: { readonly standalone?: boolean }
  readonly permissions: {
    querySync(query: { readonly name: 'env'; readonly variable: string }): { readonly state: string }
  }
}

const { Deno: deno, Bun: bun } = globalThis as {
  readonly Deno?: DenoNamespace
  readonly Bun?: { readonly main: string }
}

/**
 * The folder of this file in the package, `undefined` in a bundle: what lies beside that is none of ours. A program of
 * `bun build --compile` still has the folder of the machine that it was built on.
 */
const here = bun?.main.startsWith('/$bunfs/') || !isInPackage() ? undefined : __dirname

/**
 * A program of `deno compile` finds its own files in a folder of the temporary one, which need not exist. What was not
 * embedded is looked for in the real one, and that may be anybody's: `extract_standalone` in cli/rt/binary.rs of Deno.
 */
const compiled = deno?.build.standalone === true

/** In Deno, `require` needs --allow-read for the folder as well. */
const byPath = deno !== undefined && here !== undefined

/** A bundle of ES modules has no `__dirname` at all. */
function isInPackage(): boolean {
  return typeof __dirname === 'string' && path.basename(__dirname) === 'bindings'
}

function load(): LoadResult {
  const attempts: LoadAttempt[] = []
  for (const open of places()) {
    const result = open(attempts)
    if (result !== undefined) return result
  }
  return { native: null, attempts }
}

function places() {
  if (compiled) return [openPrebuilt]
  // Whoever built it in the package wants that one. What lies there beside a bundle may be anybody's.
  return here === undefined ? [openPrebuilt, openBuilt] : [openBuilt, openPrebuilt]
}

function openBuilt(attempts: LoadAttempt[]): LoadResult | undefined {
  const folder = '../../build/Release'
  try {
    return found(folder, byPath ? dlopen(folder) : require('../../build/Release/procleash.node'))
  } catch (error) {
    attempts.push(missed(folder, error))
  }
  return undefined
}

function openPrebuilt(attempts: LoadAttempt[]): LoadResult | undefined {
  const platform = `${process.platform}-${process.arch}`
  if (platform === 'linux-x64') {
    const folder = '../../prebuilds/linux-x64'
    try {
      return found(folder, byPath ? dlopen(folder) : require('../../prebuilds/linux-x64/procleash.node'))
    } catch (error) {
      attempts.push(missed(folder, error))
    }
  }
  if (platform === 'linux-arm64') {
    const folder = '../../prebuilds/linux-arm64'
    try {
      return found(folder, byPath ? dlopen(folder) : require('../../prebuilds/linux-arm64/procleash.node'))
    } catch (error) {
      attempts.push(missed(folder, error))
    }
  }
  return undefined
}

function dlopen(folder: string): Native {
  const addon: { exports: unknown } = { exports: {} }
  process.dlopen(addon, addonPath(folder))
  return addon.exports as Native
}

function found(folder: string, native: Native): LoadResult {
  const named = helperOverride()
  return {
    native,
    helperPath: named ?? (here === undefined || compiled ? '' : path.join(here, folder, HELPER_NAME)),
    helperNamed: named !== undefined,
  }
}

function missed(folder: string, error: unknown): LoadAttempt {
  const text = error instanceof Error ? error.message : String(error)
  const [firstLine = text] = text.split('\n', 1)
  return { path: addonPath(folder), error: firstLine }
}

function addonPath(folder: string): string {
  return path.join(here ?? '.', folder, 'procleash.node')
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
