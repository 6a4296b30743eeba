// Runs node-gyp on a folder's binding.gyp: incremental, silent unless something fails or the compiler warns.
// The headers come from node20 (our lowest supported Node) in node_modules, so that nothing is downloaded; npm's
// `nodedir` config wins. The addon is Node-API only: any Node's headers give the same.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { userNode } from './user-node.mjs'

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))

/**
 * Builds `folder`/build. Throws with the build's output when it fails.
 *
 * @param {string} folder
 * @param {{ args?: readonly string[], env?: Readonly<Record<string, string>> }} [options]
 */
export function nodeGyp(folder, { args = [], env = {} } = {}) {
  const all = [program(), 'configure', 'build', `--jobs=${availableParallelism()}`, ...args]
  const headers = process.env.npm_config_nodedir || join(modules, 'node20')
  if (existsSync(join(headers, 'include/node/common.gypi'))) all.push(`--nodedir=${headers}`)
  const gyp = spawnSync(userNode(), all, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 64 << 20,
  })
  const output = `${gyp.stdout ?? ''}${gyp.stderr ?? ''}`
  if (gyp.error) throw new Error(`node-gyp could not be started: ${gyp.error.message}`)
  if (gyp.status !== 0) throw new Error(`${output}\nnode-gyp ended with ${gyp.status ?? gyp.signal}`)
  if (/\bwarning:/.test(output)) process.stderr.write(output)
}

/** Ours; in an installed package, which brings none, the one that npm says it has. */
function program() {
  const own = join(modules, 'node-gyp/bin/node-gyp.js')
  const places = [own, process.env.npm_config_node_gyp]
  const found = places.find((file) => file !== undefined && existsSync(file))
  if (found !== undefined) return found
  throw new Error('node-gyp was not found. Run this by npm, which brings one: npm run build:native')
}
