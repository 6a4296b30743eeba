// The environment block of a command. Where the runtime's `process.env` is the C environment, native code copies
// that one, which costs nothing here; where it is an object of JavaScript's own, it is written out.

import { isMainThread } from 'node:worker_threads'
import { InvalidOptionError } from './errors.js'
import { checkSecretString, secretError } from './secret.js'
import type { SpawnOptions } from './types.js'

// Bun never writes process.env back to the C environment; a Node worker has a copy of its own. Deno's process.env
// is the C environment in workers too, and native code reads it without --allow-env.
const { bun, deno } = process.versions as { readonly bun?: string; readonly deno?: string }
const hostEnvironIsOurs = deno !== undefined || (bun === undefined && isMainThread)

/** `NAME=value` strings, or `null` for the host's own C environment. */
export function environmentBlock(env: SpawnOptions['env']): readonly string[] | null {
  if (env === undefined) return hostEnvironIsOurs ? null : serialise(process.env)
  if (typeof env !== 'object' || env === null || Array.isArray(env)) {
    const fix = 'Pass for example { ...process.env, NAME: value }, or leave env out'
    throw secretError('ERR_INVALID_ARG_TYPE', 'env', 'be an object of strings', env, fix)
  }
  for (const [name, value] of Object.entries(env)) checkVariable(name, value)
  return serialise(env)
}

function serialise(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const block: string[] = []
  for (const name of Object.keys(env)) {
    const value = env[name]
    if (value !== undefined) block.push(`${name}=${value}`)
  }
  return block
}

function checkVariable(name: string, value: unknown): void {
  if (name === '' || name.includes('=') || name.includes('\0')) {
    throw new InvalidOptionError({
      code: 'ERR_INVALID_ARG_VALUE',
      option: 'env',
      must: "have names that are not empty and hold neither '=' nor a NUL byte",
      value: name,
      fix: 'Correct or remove the name',
    })
  }
  if (value !== undefined) checkSecretString(value, `env.${name}`)
}
