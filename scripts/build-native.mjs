// Builds binding.gyp with node-gyp: incremental, silent unless something fails or the compiler warns.
// The headers come from node20 (our lowest supported Node) in node_modules, so that nothing is
// downloaded; npm's `nodedir` config wins. The addon is Node-API only: any Node's headers give the same.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unshadowNode, userNode } from './user-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

unshadowNode()

const absent = ['python3', 'make', process.env.CXX ?? 'g++'].filter(
  (tool) => !onPath(tool.split(' ')[0] ?? tool),
)
if (absent.length > 0) {
  fail(
    `procleash: building the native part needs ${absent.join(', ')}, which ${absent.length === 1 ? 'is' : 'are'} not installed.\n` +
      'Debian, Ubuntu:  apt-get install g++ make python3\n' +
      'Fedora:          dnf install gcc-c++ make python3\n' +
      'Alpine:          apk add g++ make python3',
  )
}
if (!existsSync(join(root, 'binding.gyp'))) fail('procleash: there is no binding.gyp, nothing can be built.')

const started = performance.now()
const args = [
  join(root, 'node_modules/node-gyp/bin/node-gyp.js'),
  'configure',
  'build',
  `--jobs=${availableParallelism()}`,
]
const headers = process.env.npm_config_nodedir || join(root, 'node_modules/node20')
if (existsSync(join(headers, 'include/node/common.gypi'))) args.push(`--nodedir=${headers}`)

const gyp = spawnSync(userNode(), args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 })
const output = `${gyp.stdout ?? ''}${gyp.stderr ?? ''}`
if (gyp.error) fail(`procleash: node-gyp could not be started: ${gyp.error.message}`)
if (gyp.status !== 0)
  fail(`${output}\nprocleash: the native build failed (node-gyp ended with ${gyp.status ?? gyp.signal}).`)
if (/\bwarning:/.test(output)) process.stderr.write(output)
console.log(`native build done in ${((performance.now() - started) / 1000).toFixed(1)} s`)

/** @param {string} tool */
function onPath(tool) {
  if (tool.includes('/')) return existsSync(tool)
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, tool)))
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message)
  process.exit(1)
}
