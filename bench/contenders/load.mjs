// Packages by file: Deno runs us without the package.json that names them.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)

/** @param {string} name @returns {Promise<any>} */
export function load(name) {
  return import(pathToFileURL(require.resolve(name)).href)
}

/** @param {string} name @returns {Promise<string | undefined>} Why it can't be loaded in this runtime. */
export async function unloadable(name) {
  try {
    await load(name)
    return undefined
  } catch (error) {
    return `${name} does not load here: ${error instanceof Error ? error.message.split('\n', 1)[0] : error}`
  }
}

/** @param {string} name The folder in node_modules. */
export function versionOf(name) {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  return String(JSON.parse(readFileSync(file, 'utf8')).version)
}
